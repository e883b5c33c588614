// Molecules: read, built, written, taken apart and joined.
#include <GraphMol/ChemTransforms/ChemTransforms.h>
#include <GraphMol/FileParsers/FileParsers.h>
#include <GraphMol/MolOps.h>
#include <GraphMol/SmilesParse/SmilesWrite.h>
#include <RDGeneral/RDLog.h>

#include "guard.hpp"

using namespace RDKit;
using namespace shim;

namespace {

// The parser reports syntax errors to the log alone. A call does not change threads, so
// what a thread logged since the call began is the reason of its failure.
thread_local std::string logged;

struct LogBuffer : std::streambuf {
  static constexpr size_t limit = 2000;
  std::streamsize xsputn(const char *s, std::streamsize n) override {
    if (logged.size() < limit) logged.append(s, std::min<size_t>(n, limit - logged.size()));
    return n;
  }
  int overflow(int c) override {
    if (c != EOF && logged.size() < limit) logged.push_back(static_cast<char>(c));
    return 0;
  }
};

// Codes of bond types, hybridisations and so on are those of package chem; a value that
// has none is the last, other.
uint8_t bondCode(Bond::BondType t) {
  switch (t) {
    case Bond::SINGLE: return 1;
    case Bond::DOUBLE: return 2;
    case Bond::TRIPLE: return 3;
    case Bond::AROMATIC: return 4;
    case Bond::QUADRUPLE: return 5;
    case Bond::DATIVE: return 6;
    case Bond::ZERO: return 7;
    default: return 8;
  }
}

Bond::BondType bondType(uint8_t code) {
  static const Bond::BondType types[] = {Bond::OTHER, Bond::SINGLE, Bond::DOUBLE, Bond::TRIPLE,
                                         Bond::AROMATIC, Bond::QUADRUPLE, Bond::DATIVE, Bond::ZERO};
  if (code == 0 || code >= std::size(types)) throw ValueErrorException("no bond of this type can be built");
  return types[code];
}

uint8_t stereoCode(Bond::BondStereo s) {
  switch (s) {
    case Bond::STEREOZ: return 1;
    case Bond::STEREOE: return 2;
    case Bond::STEREOCIS: return 3;
    case Bond::STEREOTRANS: return 4;
    case Bond::STEREOANY: return 5;
    default: return 0;
  }
}

uint8_t chiralityCode(Atom::ChiralType c) {
  switch (c) {
    case Atom::CHI_UNSPECIFIED: return 0;
    case Atom::CHI_TETRAHEDRAL_CW: return 1;
    case Atom::CHI_TETRAHEDRAL_CCW: return 2;
    case Atom::CHI_OTHER: return 3;
    default: return 4;
  }
}

uint8_t hybridizationCode(Atom::HybridizationType h) {
  switch (h) {
    case Atom::UNSPECIFIED: return 0;
    case Atom::S: return 1;
    case Atom::SP: return 2;
    case Atom::SP2: return 3;
    case Atom::SP3: return 4;
    case Atom::SP3D: return 5;
    case Atom::SP3D2: return 6;
    default: return 7;
  }
}

uint8_t byte(unsigned v) { return static_cast<uint8_t>(std::min(v, 255u)); }

rd_atom describe(const Atom &a, const RingInfo &rings) {
  rd_atom r{};
  r.charge = a.getFormalCharge();
  r.isotope = a.getIsotope();
  r.map = a.getAtomMapNum();
  r.number = byte(a.getAtomicNum());
  r.explicit_hs = byte(a.getNumExplicitHs());
  r.total_hs = byte(a.getTotalNumHs());
  r.degree = byte(a.getTotalDegree());
  r.radicals = byte(a.getNumRadicalElectrons());
  r.chirality = chiralityCode(a.getChiralTag());
  r.hybridization = hybridizationCode(a.getHybridization());
  r.aromatic = a.getIsAromatic();
  r.in_ring = rings.numAtomRings(a.getIdx()) > 0;
  r.no_implicit = a.getNoImplicit();
  return r;
}

// assemble is the molecule as given, not sanitised.
std::unique_ptr<RWMol> assemble(const rd_atom *atoms, int n, const rd_bond *bonds, int m) {
  auto mol = std::make_unique<RWMol>();
  for (int i = 0; i < n; i++) {
    auto atom = std::make_unique<Atom>(static_cast<unsigned>(atoms[i].number));
    atom->setFormalCharge(atoms[i].charge);
    atom->setIsotope(atoms[i].isotope);
    if (atoms[i].map) atom->setAtomMapNum(atoms[i].map);
    atom->setNumExplicitHs(atoms[i].explicit_hs);
    atom->setNoImplicit(atoms[i].no_implicit);
    mol->addAtom(atom.release(), false, true);
  }
  for (int i = 0; i < m; i++) mol->addBond(bonds[i].begin, bonds[i].end, bondType(bonds[i].type));
  return mol;
}

// part is the fragment that holds the atom, and where it stands there.
std::unique_ptr<RWMol> part(const std::vector<boost::shared_ptr<ROMol>> &parts, const std::vector<std::vector<int>> &atoms,
             const std::vector<int> &partOf, int atom, int32_t *at) {
  const auto &ids = atoms[partOf[atom]];
  *at = static_cast<int32_t>(std::find(ids.begin(), ids.end(), atom) - ids.begin());
  return std::make_unique<RWMol>(*parts[partOf[atom]]);
}

}  // namespace

namespace shim {

void catchLog() {
  static LogBuffer buffer;
  static std::ostream stream(&buffer);
  RDLog::InitLogs();
  for (auto *log : {&rdAppLog, &rdDebugLog, &rdInfoLog, &rdWarningLog, &rdStatusLog})
    if (*log) (*log)->df_enabled = false;
  rdErrorLog = std::make_shared<boost::logging::rdLogger>(&stream);
}

}  // namespace shim

rd_error rd_parse(const char *smiles, size_t size, int extended, rd_mol **out) {
  return guarded(size, [&] {
    logged.clear();
    SmilesParserParams params;
    params.allowCXSMILES = params.strictCXSMILES = extended;
    params.parseName = false;
    params.sanitize = params.removeHs = extended;  // an extension's bonds are part of this
    std::unique_ptr<RWMol> m(SmilesToMol(std::string(smiles, size), params));
    if (!m) throw SmilesParseException(logged);
    if (extended) {
      *out = handle(std::move(m));
      return;
    }
    // The parser would do this too, but flag all possible stereo centres besides, which
    // only the SA score asks for and which takes cubic time on long chains.
    MolOps::removeHs(*m, false, true, true);
    MolOps::assignStereochemistry(*m, true, true, false);
    *out = handle(std::move(m));
  });
}

rd_error rd_block(const char *block, size_t size, int most, rd_mol **out) {
  return guarded(static_cast<size_t>(most) + 1, [&] {
    const std::string text(block, size);
    std::unique_ptr<RWMol> m(MolBlockToMol(text, false, false, true));
    if (!m) throw FileParseException("no mol block");
    const int atoms = static_cast<int>(m->getNumAtoms());
    if (atoms > most)
      throw ValueErrorException("a molecule of " + std::to_string(atoms) + " atoms, expected at most " + std::to_string(most));
    m.reset(MolBlockToMol(text));  // with hydrogens removed and stereo perceived
    *out = handle(std::move(m));
  });
}

rd_error rd_build(const rd_atom *atoms, int n, const rd_bond *bonds, int m, rd_mol **out) {
  return guarded(static_cast<size_t>(n), [&] {
    auto mol = assemble(atoms, n, bonds, m);
    MolOps::sanitizeMol(*mol);
    *out = handle(std::move(mol));
  });
}

rd_error rd_copy(const rd_mol *m, rd_mol **out) {
  return guarded(m, [&] { *out = handle(std::make_unique<RWMol>(mol(m))); });
}

rd_error rd_hydrogens(const rd_mol *m, rd_mol **out) {
  return guarded(m, [&] {
    auto full = std::make_unique<RWMol>(mol(m));
    MolOps::addHs(*full);
    *out = handle(std::move(full));
  });
}

void rd_free(rd_mol *m) {
  auto destroy = [&] { delete reinterpret_cast<RWMol *>(m); };
  free(caught(destroy).text);
}

int rd_atoms(const rd_mol *m) { return static_cast<int>(mol(m).getNumAtoms()); }

int rd_bonds(const rd_mol *m) { return static_cast<int>(mol(m).getNumBonds()); }

rd_error rd_smiles(const rd_mol *m, int root, int kekule, rd_data *out) {
  return guarded(m, [&] {
    SmilesWriteParams params;
    params.rootedAtAtom = root;
    params.doKekule = kekule;
    give(MolToSmiles(mol(m), params), out);
  });
}

rd_error rd_structure(const rd_mol *m, int kekule, rd_atom *atoms, rd_bond *bonds) {
  return guarded(m, [&] {
    const ROMol *from = &mol(m);
    std::unique_ptr<RWMol> copy;  // the handle stays aromatic
    if (kekule) {
      copy = std::make_unique<RWMol>(*from);
      MolOps::Kekulize(*copy, true);
      from = copy.get();
    }
    for (const auto atom : from->atoms()) atoms[atom->getIdx()] = describe(*atom, *from->getRingInfo());
    for (const auto bond : from->bonds()) {
      bonds[bond->getIdx()] = {static_cast<int32_t>(bond->getBeginAtomIdx()), static_cast<int32_t>(bond->getEndAtomIdx()),
                               bondCode(bond->getBondType()), stereoCode(bond->getStereo()), bond->getIsConjugated()};
    }
  });
}

rd_error rd_scaffold(const rd_mol *m, int chiral, rd_data *out) {
  return guarded(m, [&] {
    std::unique_ptr<ROMol> scaffold(MurckoDecompose(mol(m)));
    scaffold->clearComputedProps();
    scaffold->updatePropertyCache();
    MolOps::symmetrizeSSSR(*scaffold);
    SmilesWriteParams params;
    params.doIsomericSmiles = chiral;
    give(scaffold->getNumAtoms() ? MolToSmiles(*scaffold, params) : "", out);
  });
}

rd_error rd_cut(const rd_mol *m, int u, int v, rd_mol **a, int32_t *ua, rd_mol **b, int32_t *vb) {
  return guarded(m, [&] {
    const auto bond = mol(m).getBondBetweenAtoms(u, v);
    if (!bond) throw ValueErrorException("the atoms are not bonded");
    if (mol(m).getRingInfo()->numBondRings(bond->getIdx())) throw ValueErrorException("the bond is in a ring");
    RWMol open(mol(m));
    open.removeBond(u, v);
    std::vector<int> partOf;
    std::vector<std::vector<int>> atoms;
    auto parts = MolOps::getMolFrags(open, true, &partOf, &atoms);
    auto left = part(parts, atoms, partOf, u, ua), right = part(parts, atoms, partOf, v, vb);
    *a = handle(std::move(left));
    *b = handle(std::move(right));
  });
}

rd_error rd_join(const rd_mol *a, int u, const rd_mol *b, int v, rd_mol **out) {
  return guarded(static_cast<size_t>(rd_atoms(a) + rd_atoms(b)), [&] {
    auto joined = std::make_unique<RWMol>(mol(a));
    joined->insertMol(mol(b));
    joined->addBond(u, static_cast<int>(mol(a).getNumAtoms()) + v, Bond::SINGLE);
    MolOps::sanitizeMol(*joined);
    *out = handle(std::move(joined));
  });
}
