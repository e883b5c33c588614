//go:build rdkit

package rdkit

// #cgo CXXFLAGS: -std=c++17 -O2 -Wall -I/usr/include/rdkit
// #cgo LDFLAGS: -lRDKitFilterCatalog -lRDKitCatalogs -lRDKitMolDraw2D -lRDKitFMCS -lRDKitFileParsers -lRDKitDepictor -lRDKitDescriptors -lRDKitFingerprints
// #cgo LDFLAGS: -lRDKitChemTransforms -lRDKitSubstructMatch -lRDKitSmilesParse -lRDKitGraphMol
// #cgo LDFLAGS: -lRDKitDataStructs -lRDKitRDGeneral -lpthread
// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"
	"unsafe"

	"github.com/ehgnn/ehgnn/chem"
)

// Toolkit returns RDKit, which the first call initialises.
func Toolkit() (chem.Toolkit, error) { return load() }

var load = sync.OnceValues(func() (chem.Toolkit, error) {
	acceptors, alerts, rings := C.CString(chem.QEDAcceptors), C.CString(chem.QEDAlerts), C.CString(chem.QEDAliphatic)
	defer C.free(unsafe.Pointer(acceptors))
	defer C.free(unsafe.Pointer(alerts))
	defer C.free(unsafe.Pointer(rings))
	if err := failure(C.rd_init(acceptors, alerts, rings)); err != nil {
		return nil, err
	}
	return toolkit{}, nil
})

type toolkit struct{}

func (toolkit) Version() string { return "RDKit " + C.GoString(C.rd_version()) }

func (toolkit) Parse(smiles string) (chem.Molecule, error) {
	m, err := parse(smiles)
	if e, ok := err.(*chem.Error); ok {
		e.SMILES = smiles
	}
	return m, err
}

func parse(smiles string) (chem.Molecule, error) {
	text, extended, err := bare(smiles)
	if err != nil {
		return nil, err
	}
	var m *C.rd_mol
	if e := failure(C.rd_parse((*C.char)(unsafe.Pointer(unsafe.StringData(text))), C.size_t(len(text)), C.int(truth(extended)), &m)); e != nil {
		e.Text = reason(e)
		return nil, e
	}
	return adopt(m)
}

// bare returns the SMILES without the name that may follow a blank, but with an extension
// (CXSMILES). Bytes outside ASCII would end the string for RDKit or break its tables, so they are
// refused. Extensions of long SMILES are refused, too, because their stereo centres take RDKit too
// long.
func bare(text string) (smiles string, extended bool, err error) {
	smiles, extension, _ := chem.Cut(text)
	if len(smiles) == 0 || len(smiles) > chem.MaxSMILES {
		return "", false, invalid("%d characters, expected 1 to %d", len(smiles), chem.MaxSMILES)
	}
	for i := range len(smiles) {
		if smiles[i] <= ' ' || smiles[i] >= utf8.RuneSelf {
			return "", false, &chem.Error{Class: chem.Syntax, Text: fmt.Sprintf("character %q at position %d", smiles[i:i+1], i+1)}
		}
	}
	if extension == "" {
		return smiles, false, nil
	}
	if len(smiles) > chem.MaxScored || len(extension) > chem.MaxSMILES {
		return "", false, invalid("%d characters with an extension (CXSMILES) of %d, expected at most %d with one of %d", len(smiles), len(extension), chem.MaxScored, chem.MaxSMILES)
	}
	if i := strings.IndexFunc(extension, func(r rune) bool { return r < ' ' }); i >= 0 || !utf8.ValidString(extension) {
		return "", false, &chem.Error{Class: chem.Syntax, Text: "the extension (CXSMILES) is not UTF-8 or has control characters"}
	}
	return smiles + " " + extension, true, chem.CheckExtension(extension)
}

func (toolkit) ParseBlock(block string) (chem.Molecule, error) {
	if len(block) == 0 || len(block) > maxBlock {
		return nil, invalid("a mol block of %d characters, expected 1 to %d", len(block), maxBlock)
	}
	var m *C.rd_mol
	if err := failure(C.rd_block((*C.char)(unsafe.Pointer(unsafe.StringData(block))), C.size_t(len(block)), C.int(chem.MaxScored), &m)); err != nil {
		err.Text, _, _ = strings.Cut(strings.TrimSpace(err.Text), "\n")
		return nil, err
	}
	return adopt(m)
}

// maxBlock is the largest number of characters in a mol block: some thousand for each possible
// atom.
const maxBlock = 4096 * chem.MaxScored

// reason returns the text of a failed parse. For a syntax error it is the first line of RDKit's
// log, without time and input.
func reason(e *chem.Error) string {
	if e.Class != chem.Syntax {
		return e.Text
	}
	text, _, _ := strings.Cut(e.Text, "\n")
	if _, after, found := strings.Cut(text, "Parse Error: "); found {
		text = after
	}
	for _, repeat := range []string{" for input: ", " while parsing: "} {
		text, _, _ = strings.Cut(text, repeat)
	}
	if text == "" {
		return "the SMILES does not parse"
	}
	return text
}

func (toolkit) Build(s *chem.Structure) (chem.Molecule, error) {
	atoms, bonds, err := plain(s)
	if err != nil {
		return nil, err
	}
	var m *C.rd_mol
	if err := failure(C.rd_build(unsafe.SliceData(atoms), C.int(len(atoms)), unsafe.SliceData(bonds), C.int(len(bonds)), &m)); err != nil {
		return nil, err
	}
	return adopt(m)
}

// plain converts the atoms and bonds of a checked structure for C.
func plain(s *chem.Structure) ([]C.rd_atom, []C.rd_bond, error) {
	if err := s.Check(); err != nil {
		return nil, nil, err
	}
	atoms := make([]C.rd_atom, len(s.Atoms))
	for i, a := range s.Atoms {
		atoms[i] = C.rd_atom{number: C.uint8_t(a.Number), charge: C.int32_t(a.Charge), explicit_hs: C.uint8_t(a.ExplicitHs),
			isotope: C.int32_t(a.Isotope), no_implicit: C.uint8_t(truth(a.NoImplicit))}
		atoms[i]._map = C.int32_t(a.Map)
	}
	bonds := make([]C.rd_bond, 0, len(s.Bonds))
	for _, b := range s.Bonds {
		if b.Type != chem.NoBond {
			c := C.rd_bond{begin: C.int32_t(b.Begin), end: C.int32_t(b.End)}
			c._type = C.uint8_t(b.Type)
			bonds = append(bonds, c)
		}
	}
	return atoms, bonds, nil
}
