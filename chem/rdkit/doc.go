// Package rdkit is the chemistry toolkit of package chem: RDKit's C++ libraries behind a small C
// interface (shim.h). It is the only package of the program with cgo, and only with build tag
// rdkit. Without the tag Toolkit returns chem.ErrNoToolkit.
//
// Everything that needs no C++ is in package chem. Rules of the interface:
//
//   - No exception leaves a C function: each becomes a class and a text (guard.hpp).
//   - Only one call at a time uses a molecule, because RDKit writes lazily computed values into
//     molecules that it only reads. The lock of the handle ensures this.
//   - Arguments and results are arrays. C keeps no pointer to Go memory, and memory that C allocates
//     is freed here.
//   - Input is bounded before it reaches C, because it may be malicious: characters, atoms, pixels.
//     Recursion over large molecules has a stack of its own (guard.hpp).
package rdkit
