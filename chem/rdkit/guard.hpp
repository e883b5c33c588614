// What the functions of the shim share: the guard that no exception passes, and results
// in memory that Go frees.
#pragma once

#include <GraphMol/RWMol.h>
#include <GraphMol/SanitException.h>
#include <GraphMol/SmilesParse/SmilesParse.h>
#include <RDGeneral/Exceptions.h>
#include <RDGeneral/FileParseException.h>
#include <RDGeneral/Invariant.h>

#include <pthread.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "shim.h"

namespace shim {

inline rd_error failure(int32_t cls, const char *text) noexcept { return {cls, strdup(text)}; }

// caught runs f and makes whatever it throws an error. The order is from the special to
// the general: most of RDKit's exceptions are MolSanitizeExceptions.
template <class F>
rd_error caught(F &f) noexcept {
  try {
    f();
    return {RD_OK, nullptr};
  } catch (const RDKit::AtomValenceException &e) {
    return failure(RD_VALENCE, e.what());
  } catch (const RDKit::AtomKekulizeException &e) {
    return failure(RD_KEKULIZE, e.what());
  } catch (const RDKit::KekulizeException &e) {
    return failure(RD_KEKULIZE, e.what());
  } catch (const RDKit::MolSanitizeException &e) {
    return failure(RD_SANITIZE, e.what());
  } catch (const RDKit::SmilesParseException &e) {
    return failure(RD_SYNTAX, e.what());
  } catch (const RDKit::FileParseException &e) {
    return failure(RD_SYNTAX, e.what());
  } catch (const ValueErrorException &e) {
    return failure(RD_VALUE, e.what());
  } catch (const Invar::Invariant &e) {
    return failure(RD_INTERNAL, e.what());
  } catch (const std::exception &e) {
    return failure(RD_INTERNAL, e.what());
  } catch (...) {
    return failure(RD_INTERNAL, "an exception of unknown type");
  }
}

// RDKit walks molecules by recursion, up to a kilobyte of stack an atom, and the stack that
// a call comes on may be small. So what is larger than this runs on a stack of its own.
constexpr size_t ordinary = 1000, deep_stack = size_t(64) << 20;

// guarded runs f, which works on a molecule of the given size, and lets no exception out.
template <class F>
rd_error guarded(size_t size, F f) noexcept {
  if (size <= ordinary) return caught(f);
  struct Call {
    F &f;
    rd_error result;
  } call{f, {RD_OK, nullptr}};
  const auto run = [](void *c) -> void * {
    auto call = static_cast<Call *>(c);
    call->result = caught(call->f);
    return nullptr;
  };
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, deep_stack);
  pthread_t thread;
  const int refused = pthread_create(&thread, &attributes, run, &call);
  pthread_attr_destroy(&attributes);
  if (refused) return failure(RD_INTERNAL, "no memory for the stack that a large molecule needs");
  pthread_join(thread, nullptr);
  return call.result;
}

template <class F>
rd_error guarded(const rd_mol *m, F f) noexcept {
  return guarded(static_cast<size_t>(rd_atoms(m)), f);
}

inline const RDKit::RWMol &mol(const rd_mol *m) { return *reinterpret_cast<const RDKit::RWMol *>(m); }

inline rd_mol *handle(std::unique_ptr<RDKit::RWMol> m) { return reinterpret_cast<rd_mol *>(m.release()); }

// give copies n elements for the caller, who frees them.
template <class T>
void give(const T *from, size_t n, rd_data *out) {
  void *p = malloc(n * sizeof(T) + 1);
  if (!p) throw std::bad_alloc();
  if (n) memcpy(p, from, n * sizeof(T));
  *out = {p, n};
}

inline void give(const std::string &s, rd_data *out) { give(s.data(), s.size(), out); }

template <class T>
void give(const std::vector<T> &v, rd_data *out) { give(v.data(), v.size(), out); }

}  // namespace shim
