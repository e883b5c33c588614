// What scores are made of: fingerprints, the properties of QED, the terms of the SA score.
#include <DataStructs/ExplicitBitVect.h>
#include <DataStructs/SparseIntVect.h>
#include <GraphMol/Depictor/RDDepictor.h>
#include <GraphMol/ChemTransforms/ChemTransforms.h>
#include <GraphMol/Descriptors/MolDescriptors.h>
#include <GraphMol/FilterCatalog/FilterCatalog.h>
#include <GraphMol/Fingerprints/AtomPairs.h>
#include <GraphMol/Fingerprints/MorganFingerprints.h>
#include <GraphMol/MolOps.h>
#include <GraphMol/Substruct/SubstructMatch.h>
#include <RDGeneral/versions.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <sstream>

#include "guard.hpp"

using namespace RDKit;
using namespace shim;

namespace {

using Patterns = std::vector<std::unique_ptr<RWMol>>;

Patterns readPatterns(const std::string &lines) {
  Patterns read;
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);) {
    read.emplace_back(SmartsToMol(line));
    if (!read.back()) throw ValueErrorException("SMARTS " + line);
  }
  return read;
}

// PatternList is patterns, or a catalogue of them.
struct PatternList {
  Patterns patterns;
  std::unique_ptr<FilterCatalog> catalogue;
};

// The patterns of QED. A recursive pattern is locked while it is matched, so calls side
// by side must not share them: each takes a set and gives it back.
struct PatternSet {
  Patterns acceptors, alerts, rings;
};

std::string acceptorLines, alertLines, ringLines;
std::mutex idleLock;
std::vector<std::unique_ptr<PatternSet>> idle;

class Borrowed {
 public:
  Borrowed() {
    {
      std::lock_guard<std::mutex> lock(idleLock);
      if (!idle.empty()) {
        set = std::move(idle.back());
        idle.pop_back();
        return;
      }
    }
    set.reset(new PatternSet{readPatterns(acceptorLines), readPatterns(alertLines), readPatterns(ringLines)});
  }
  ~Borrowed() {
    try {
      std::lock_guard<std::mutex> lock(idleLock);
      idle.push_back(std::move(set));
    } catch (...) {  // without memory for the list the set is freed
    }
  }
  Borrowed(const Borrowed &) = delete;
  const PatternSet *operator->() const { return set.get(); }

 private:
  std::unique_ptr<PatternSet> set;
};

double logP(const ROMol &m) {
  double logp = 0, refractivity = 0;
  Descriptors::calcCrippenDescriptors(m, logp, refractivity);
  return logp;
}

// giveCounts hands over identifiers and how often each occurs.
template <class ID>
void giveCounts(const SparseIntVect<ID> &from, rd_data *out) {
  std::vector<rd_count> counts;
  for (const auto &[id, count] : from.getNonzeroElements()) counts.push_back({static_cast<uint32_t>(id), count});
  give(counts, out);
}

int matches(const ROMol &m, const ROMol &pattern, unsigned most) {
  SubstructMatchParameters params;
  params.maxMatches = most;
  return static_cast<int>(SubstructMatch(m, pattern, params).size());
}

}  // namespace

const char *rd_version(void) { return rdkitVersion; }

rd_error rd_init(const char *acceptors, const char *alerts, const char *rings) {
  return guarded(size_t(0), [&] {
    catchLog();
    RDDepict::preferCoordGen = true;
    acceptorLines = acceptors;
    alertLines = alerts;
    ringLines = rings;
    Borrowed patterns;
  });
}

rd_error rd_morgan_bits(const rd_mol *m, unsigned radius, unsigned bits, rd_data *out) {
  return guarded(m, [&] {
    std::unique_ptr<ExplicitBitVect> fp(MorganFingerprints::getFingerprintAsBitVect(mol(m), radius, bits));
    std::vector<int> on;
    fp->getOnBits(on);
    give(on, out);
  });
}

rd_error rd_morgan_counts(const rd_mol *m, unsigned radius, int features, rd_data *out) {
  return guarded(m, [&] {
    std::vector<uint32_t> invariants(mol(m).getNumAtoms());
    if (features) MorganFingerprints::getFeatureInvariants(mol(m), invariants);
    std::unique_ptr<SparseIntVect<uint32_t>> fp(
        MorganFingerprints::getFingerprint(mol(m), radius, features ? &invariants : nullptr));
    giveCounts(*fp, out);
  });
}

rd_error rd_pair_counts(const rd_mol *m, unsigned distance, rd_data *out) {
  return guarded(m, [&] {
    std::unique_ptr<SparseIntVect<int32_t>> fp(AtomPairs::getAtomPairFingerprint(mol(m), 1, distance));
    giveCounts(*fp, out);
  });
}

rd_error rd_rings(const rd_mol *m, int32_t terms[4]) {
  return guarded(m, [&] {
    const ROMol &of = mol(m);
    const RingInfo &rings = *of.getRingInfo();
    size_t largest = 0;
    for (const auto &ring : rings.atomRings()) largest = std::max(largest, ring.size());
    const auto small = [&](unsigned atom) {
      const auto size = rings.minAtomRingSize(atom);
      return size == 3 || size == 4;
    };
    std::vector<int> doubles(of.getNumAtoms(), 0);
    int32_t strained = 0;
    for (const auto bond : of.bonds()) {
      const auto a = bond->getBeginAtomIdx(), b = bond->getEndAtomIdx();
      if (bond->getBondType() != Bond::DOUBLE || !rings.numAtomRings(a) || !rings.numAtomRings(b)) continue;
      strained += small(a) && small(b);
      doubles[a]++;
      doubles[b]++;
    }
    terms[0] = static_cast<int32_t>(largest);
    terms[1] = static_cast<int32_t>(Descriptors::calcNumAromaticRings(of));
    terms[2] = strained;
    terms[3] = static_cast<int32_t>(std::count_if(doubles.begin(), doubles.end(), [](int n) { return n > 1; }));
  });
}

rd_error rd_patterns_read(const char *lines, rd_patterns **out) {
  return guarded(size_t(0), [&] {
    auto list = std::make_unique<PatternList>();
    list->patterns = readPatterns(lines);
    *out = reinterpret_cast<rd_patterns *>(list.release());
  });
}

rd_error rd_catalogue(const char *name, rd_patterns **out) {
  return guarded(size_t(0), [&] {
    static const std::map<std::string, FilterCatalogParams::FilterCatalogs> known = {
        {"pains", FilterCatalogParams::PAINS}, {"brenk", FilterCatalogParams::BRENK}, {"nih", FilterCatalogParams::NIH}};
    const auto found = known.find(name);
    if (found == known.end()) throw ValueErrorException("no catalogue of this name");
    auto list = std::make_unique<PatternList>();
    list->catalogue.reset(new FilterCatalog(found->second));
    *out = reinterpret_cast<rd_patterns *>(list.release());
  });
}

void rd_patterns_free(rd_patterns *p) {
  auto destroy = [&] { delete reinterpret_cast<PatternList *>(p); };
  free(caught(destroy).text);
}

rd_error rd_patterns_first(const rd_patterns *p, const rd_mol *m, int32_t *first) {
  return guarded(m, [&] {
    const auto &list = *reinterpret_cast<const PatternList *>(p);
    *first = list.catalogue && list.catalogue->hasMatch(mol(m)) ? 0 : -1;
    for (size_t i = 0; i < list.patterns.size() && *first < 0; i++)
      if (matches(mol(m), *list.patterns[i], 1)) *first = static_cast<int32_t>(i);
  });
}

rd_error rd_qed(const rd_mol *m, double properties[8]) {
  return guarded(m, [&] {
    Borrowed patterns;
    std::unique_ptr<ROMol> bare(MolOps::removeHs(mol(m)));
    int acceptors = 0, alerts = 0;
    for (const auto &p : patterns->acceptors) acceptors += matches(*bare, *p, 1000);
    for (const auto &p : patterns->alerts) alerts += matches(*bare, *p, 1);
    std::unique_ptr<ROMol> aromatic(deleteSubstructs(*bare, *patterns->rings.front()));
    const double values[] = {
        Descriptors::calcAMW(*bare),
        logP(*bare),
        static_cast<double>(acceptors),
        static_cast<double>(Descriptors::calcNumHBD(*bare)),
        Descriptors::calcTPSA(*bare),
        static_cast<double>(Descriptors::calcNumRotatableBonds(*bare, Descriptors::Strict)),
        static_cast<double>(MolOps::findSSSR(*aromatic)),
        static_cast<double>(alerts),
    };
    std::copy(std::begin(values), std::end(values), properties);
  });
}

rd_error rd_complexity(const rd_mol *m, int32_t terms[4]) {
  return guarded(m, [&] {
    RWMol copy(mol(m));  // perception of stereo writes into the molecule
    // Twice, as the score's author does: when the SMILES is parsed, and when centres are
    // counted. Some centres of rings are found the second time alone.
    MolOps::assignStereochemistry(copy, true, true, true);
    MolOps::assignStereochemistry(copy, false, true, true);
    int32_t centres = 0, large = 0;
    for (const auto atom : copy.atoms()) {
      centres += atom->hasProp(common_properties::_CIPCode) || atom->hasProp(common_properties::_ChiralityPossible);
    }
    for (const auto &ring : copy.getRingInfo()->atomRings()) large += ring.size() > 8;
    terms[0] = centres;
    terms[1] = static_cast<int32_t>(Descriptors::calcNumSpiroAtoms(copy));
    terms[2] = static_cast<int32_t>(Descriptors::calcNumBridgeheadAtoms(copy));
    terms[3] = large;
  });
}

rd_error rd_logp(const rd_mol *m, double *out) {
  return guarded(m, [&] { *out = logP(mol(m)); });
}
