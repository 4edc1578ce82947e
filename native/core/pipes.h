// What the parts of pipes share.
#pragma once

#include "core.h"

namespace ttl::core {

// Puts a message under way in a pipe that is free; takes over the reference.
void channel_start(Pipe *pipe, Message *message);
// Takes the message under way for the destination at a position. Strong.
Message *channel_receive(Pipe *pipe, int64_t position);

}  // namespace ttl::core
