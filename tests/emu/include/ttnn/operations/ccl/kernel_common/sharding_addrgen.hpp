// In the place of a header of TT-NN for shards, which the tensors of the tests do not have.
#pragma once
