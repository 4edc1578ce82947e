// Checks files of one schema with the code that flatc makes of it, and writes each again from its objects: FILE to FILE.back.
#include HEADER

#include <fstream>
#include <iostream>
#include <iterator>
#include <vector>

int main(int count, char **names) {
  using namespace tt::target;
  for (int index = 1; index < count; ++index) {
    std::string name = names[index];
    std::ifstream in(name, std::ios::binary);
    std::vector<char> content((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t *>(content.data()), content.size());
    if (!verifier.VerifySizePrefixedBuffer<ROOT>(IDENTIFIER)) {
      std::cerr << name << " is refused\n";
      return 1;
    }
    auto object = flatbuffers::GetSizePrefixedRoot<ROOT>(content.data())->UnPack();
    flatbuffers::FlatBufferBuilder builder;
    builder.FinishSizePrefixed(ROOT::Pack(builder, object), IDENTIFIER);
    delete object;
    std::ofstream out(name + ".back", std::ios::binary);
    out.write(reinterpret_cast<const char *>(builder.GetBufferPointer()), builder.GetSize());
  }
}
