// The C interface of the shim: handles and arrays in, handles and arrays out. No
// function keeps a pointer that it is given, and no exception leaves one.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rd_mol rd_mol;
typedef struct rd_patterns rd_patterns;

// What went wrong. The numbers are those of chem.Class.
enum {
  RD_OK,
  RD_SYNTAX,
  RD_VALENCE,
  RD_KEKULIZE,
  RD_SANITIZE,
  RD_VALUE,
  RD_INTERNAL,
};

// The caller frees text, which is NULL where class is RD_OK or memory is short.
typedef struct {
  int32_t class_;
  char *text;
} rd_error;

// Text, an image or an array of size elements, which the caller frees.
typedef struct {
  void *data;
  size_t size;
} rd_data;

// Codes are those of package chem.
typedef struct {
  int32_t charge, isotope, map;
  uint8_t number, explicit_hs, total_hs, degree, radicals;
  uint8_t chirality, hybridization, aromatic, in_ring, no_implicit;
} rd_atom;

typedef struct {
  int32_t begin, end;
  uint8_t type, stereo, conjugated;
} rd_bond;

typedef struct {
  uint32_t id;
  int32_t count;
} rd_count;

// The patterns of QED, as lines of SMARTS: acceptors, alerts, and the atoms without which
// only aromatic rings are left. Called once, before anything else.
rd_error rd_init(const char *acceptors, const char *alerts, const char *rings);
const char *rd_version(void);

rd_error rd_parse(const char *smiles, size_t size, int extended, rd_mol **out);
rd_error rd_block(const char *block, size_t size, int most, rd_mol **out);
rd_error rd_build(const rd_atom *atoms, int n, const rd_bond *bonds, int m, rd_mol **out);
rd_error rd_copy(const rd_mol *m, rd_mol **out);
rd_error rd_hydrogens(const rd_mol *m, rd_mol **out);
void rd_free(rd_mol *m);
int rd_atoms(const rd_mol *m);
int rd_bonds(const rd_mol *m);

rd_error rd_smiles(const rd_mol *m, int root, int kekule, rd_data *out);
rd_error rd_structure(const rd_mol *m, int kekule, rd_atom *atoms, rd_bond *bonds);
rd_error rd_scaffold(const rd_mol *m, int chiral, rd_data *out);
rd_error rd_cut(const rd_mol *m, int u, int v, rd_mol **a, int32_t *ua, rd_mol **b, int32_t *vb);
rd_error rd_join(const rd_mol *a, int u, const rd_mol *b, int v, rd_mol **out);

rd_error rd_morgan_bits(const rd_mol *m, unsigned radius, unsigned bits, rd_data *out);
rd_error rd_morgan_counts(const rd_mol *m, unsigned radius, int features, rd_data *out);
rd_error rd_pair_counts(const rd_mol *m, unsigned distance, rd_data *out);
rd_error rd_qed(const rd_mol *m, double properties[8]);
rd_error rd_complexity(const rd_mol *m, int32_t terms[4]);
rd_error rd_logp(const rd_mol *m, double *out);

// The size of the largest ring, the number of aromatic rings, the number of double bonds in rings
// of three or four, the number of ring atoms with two double bonds to ring atoms.
rd_error rd_rings(const rd_mol *m, int32_t terms[4]);

// Patterns, as lines of SMARTS. One set must not match two molecules at a time.
rd_error rd_patterns_read(const char *lines, rd_patterns **out);
// A catalogue of RDKit: pains, brenk or nih.
rd_error rd_catalogue(const char *name, rd_patterns **out);
void rd_patterns_free(rd_patterns *p);
// The first pattern that the molecule has, -1 for none.
rd_error rd_patterns_first(const rd_patterns *p, const rd_mol *m, int32_t *first);

// Draws a molecule with bonds of a length in pixels, the atoms that it shares with start (NULL for none) where start has
// them; core is the atom of start for each atom, or -1. Atoms are at points of a picture of a size.
rd_error rd_draw(const rd_mol *m, const rd_mol *start, double bond, int letters, double *size, double *points,
                 int32_t *core, rd_data *out);

// Draws atoms and bonds that need not be a molecule, at the places that the atoms have with the k bonds of like.
rd_error rd_draw_structure(const rd_atom *atoms, int n, const rd_bond *bonds, int m, const rd_bond *like, int k, double bond,
                           int letters, double *size, double *points, rd_data *out);

#ifdef __cplusplus
}
#endif
