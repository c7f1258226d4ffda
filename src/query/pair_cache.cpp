#include "graze/query/pair_cache.h"

#include "query/pair_memory.h"

namespace graze {

PairCache::PairCache() : memory_(std::make_unique<PairMemory>()) {}
PairCache::PairCache(const PairCache& other) : memory_(std::make_unique<PairMemory>(*other.memory_)) {}
PairCache& PairCache::operator=(const PairCache& other) {
  *memory_ = *other.memory_;
  return *this;
}
PairCache::~PairCache() = default;

void PairCache::clear() { memory_->clear(); }

void PairCache::keep_front(std::size_t entries) {
  memory_->front = {};
  memory_->front.entries.resize(entries);
}

}  // namespace graze
