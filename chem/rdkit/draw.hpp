// Pictures of molecules.
#include <GraphMol/Depictor/RDDepictor.h>
#include <GraphMol/MolDraw2D/MolDraw2DCairo.h>
#include <GraphMol/MolDraw2D/MolDraw2DSVG.h>
#include <GraphMol/MolDraw2D/MolDraw2DUtils.h>

#include "guard.hpp"

using namespace RDKit;
using namespace shim;

namespace {

// Coloured is a list of atoms or bonds and their colours, as RDKit wants them.
struct Coloured {
  std::vector<int> indices;
  std::map<int, DrawColour> colours;
  Coloured(const rd_colour *from, int n) {
    for (int i = 0; i < n; i++) {
      indices.push_back(from[i].index);
      colours[from[i].index] = DrawColour(from[i].r / 255., from[i].g / 255., from[i].b / 255., from[i].a / 255.);
    }
  }
};

template <class Drawer>
void draw(const rd_mol *m, int width, int height, const Coloured &atoms, const Coloured &bonds, rd_data *out) {
  RWMol copy(mol(m));
  MolDraw2DUtils::prepareMolForDrawing(copy);
  Drawer drawer(width, height);
  drawer.drawOptions().prepareMolsBeforeDrawing = false;
  drawer.drawOptions().includeMetadata = false;
  drawer.drawMolecule(copy, &atoms.indices, &bonds.indices, &atoms.colours, &bonds.colours);
  drawer.finishDrawing();
  give(drawer.getDrawingText(), out);
}

}  // namespace

rd_error rd_layout(const rd_atom *atoms, int n, const rd_bond *bonds, int m, double *points) {
  return guarded(static_cast<size_t>(n), [&] {
    auto mol = assemble(atoms, n, bonds, m);
    mol->updatePropertyCache(false);
    unsigned failed;
    MolOps::sanitizeMol(*mol, failed, MolOps::SANITIZE_SYMMRINGS | MolOps::SANITIZE_SETCONJUGATION | MolOps::SANITIZE_SETHYBRIDIZATION);
    const unsigned at = RDDepict::compute2DCoords(*mol, nullptr, true);
    const auto &conformer = mol->getConformer(at);
    for (int i = 0; i < n; i++) {
      points[2 * i] = conformer.getAtomPos(i).x;
      points[2 * i + 1] = conformer.getAtomPos(i).y;
    }
  });
}

rd_error rd_draw(const rd_mol *m, int width, int height, int png, const rd_colour *atoms, int num_atoms,
                 const rd_colour *bonds, int num_bonds, rd_data *out) {
  return guarded(m, [&] {
    const Coloured a(atoms, num_atoms), b(bonds, num_bonds);
    if (png) {
      draw<MolDraw2DCairo>(m, width, height, a, b, out);
    } else {
      draw<MolDraw2DSVG>(m, width, height, a, b, out);
    }
  });
}
