// Pictures of molecules.
#include <GraphMol/Depictor/RDDepictor.h>
#include <GraphMol/FMCS/FMCS.h>
#include <GraphMol/MolDraw2D/MolDraw2DSVG.h>
#include <GraphMol/MolDraw2D/MolDraw2DUtils.h>
#include <GraphMol/Substruct/SubstructMatch.h>

#include "guard.hpp"

using namespace RDKit;
using namespace shim;

namespace {

// The search of a common core ends after so many steps: counted, not timed, so that a picture is the same everywhere.
constexpr int core_steps = 20000;

bool few_steps(const MCSProgressData &, const MCSParameters &, void *steps) { return ++*static_cast<int *>(steps) < core_steps; }

// common finds atoms of two molecules that are the same, as pairs (atom of start, atom of mol).
MatchVectType common(const ROMol &start, const ROMol &mol) {
  int steps = 0;
  MCSParameters p;
  p.AtomCompareParameters.RingMatchesRingOnly = true;
  p.BondCompareParameters.RingMatchesRingOnly = true;
  p.BondCompareParameters.CompleteRingsOnly = true;
  p.ProgressCallback = few_steps;
  p.ProgressCallbackUserData = &steps;
  const auto found = findMCS({ROMOL_SPTR(new ROMol(start)), ROMOL_SPTR(new ROMol(mol))}, &p);
  MatchVectType out, a, b;
  if (found.NumAtoms < 3 || !found.QueryMol || !SubstructMatch(start, *found.QueryMol, a) || !SubstructMatch(mol, *found.QueryMol, b)) return out;
  std::map<int, int> of;
  for (const auto &pair : b) of[pair.first] = pair.second;
  for (const auto &pair : a) out.emplace_back(pair.second, of[pair.first]);
  return out;
}

// place lays a molecule out, longest side across, with bonds at multiples of 30 degrees as far as can be.
void place(RWMol &m) {
  RDDepict::compute2DCoords(m, nullptr, true);
  RDDepict::straightenDepiction(m);
}

// laid_out places atoms that need not be a molecule: valences are not checked.
std::unique_ptr<RWMol> laid_out(const rd_atom *atoms, int n, const rd_bond *bonds, int m) {
  auto mol = assemble(atoms, n, bonds, m);
  mol->updatePropertyCache(false);
  unsigned failed;
  MolOps::sanitizeMol(*mol, failed, MolOps::SANITIZE_SYMMRINGS | MolOps::SANITIZE_SETCONJUGATION | MolOps::SANITIZE_SETHYBRIDIZATION);
  RDDepict::compute2DCoords(*mol, nullptr, true, true, 0, 0, 100, false, true);  // not CoordGen, which needs valences
  return mol;
}

// depict draws a molecule that is laid out, with bonds of a length in pixels, and says where its first n atoms are: hydrogens
// that preparation adds at chiral centres come behind them.
void depict(const ROMol &m, int n, double bond, int letters, double *size, double *points, rd_data *out) {
  MolDraw2DSVG drawer(-1, -1);
  auto &options = drawer.drawOptions();
  const double mean = m.getNumAtoms() > 1 && m.getNumBonds() > 0 ? MolDraw2DUtils::meanBondLength(m) : 1.5;
  MolDraw2DUtils::setACS1996Options(options, mean);
  options.scalingFactor = options.fixedBondLength = bond / mean;
  options.fixedFontSize = letters;
  options.bondLineWidth = 1.4;
  options.clearBackground = false;
  options.padding = 0;
  options.prepareMolsBeforeDrawing = false;
  options.includeMetadata = false;
  drawer.drawMolecule(m);
  drawer.finishDrawing();
  size[0] = drawer.width();
  size[1] = drawer.height();
  for (int i = 0; i < n; i++) {
    const auto at = drawer.getDrawCoords(i);
    points[2 * i] = at.x;
    points[2 * i + 1] = at.y;
  }
  give(drawer.getDrawingText(), out);
}

}  // namespace

rd_error rd_draw(const rd_mol *m, const rd_mol *start, double bond, int letters, double *size, double *points,
                 int32_t *core, rd_data *out) {
  return guarded(m, [&] {
    RWMol copy(mol(m));
    const int n = copy.getNumAtoms();
    for (int i = 0; i < n; i++) core[i] = -1;
    place(copy);
    if (start) {
      RWMol reference(mol(start));
      place(reference);
      const auto same = common(reference, copy);
      for (const auto &pair : same) core[pair.second] = pair.first;
      try {
        if (!same.empty()) RDDepict::generateDepictionMatching2DStructure(copy, reference, same);
      } catch (const RDDepict::DepictException &) {  // the core stays where the molecule has it
        place(copy);
      }
    }
    MolDraw2DUtils::prepareMolForDrawing(copy);
    depict(copy, n, bond, letters, size, points, out);
  });
}

rd_error rd_draw_structure(const rd_atom *atoms, int n, const rd_bond *bonds, int m, const rd_bond *like, int k, double bond,
                           int letters, double *size, double *points, rd_data *out) {
  return guarded(static_cast<size_t>(n), [&] {
    const auto places = laid_out(atoms, n, like, k);
    RDDepict::straightenDepiction(*places);
    auto mol = assemble(atoms, n, bonds, m);
    mol->updatePropertyCache(false);
    MolOps::fastFindRings(*mol);
    mol->addConformer(new Conformer(places->getConformer()));
    depict(*mol, n, bond, letters, size, points, out);
  });
}
