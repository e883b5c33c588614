//go:build rdkit

package rdkit

// #include "shim.h"
import "C"

import (
	"math"
	"regexp"
	"strconv"
	"unsafe"

	"github.com/ehgnn/ehgnn/chem"
)

// leastLetters is a size of letters in pixels that is always legible.
const leastLetters = 12

func (m *molecule) Draw(bond float64, start chem.Molecule) (*chem.Drawing, error) {
	if err := checkBond(bond); err != nil {
		return nil, err
	}
	var first *C.rd_mol
	if start != nil {
		of, ok := start.(*molecule)
		if !ok {
			return nil, invalid("a molecule of another toolkit")
		}
		// A copy, so that no call holds two locks.
		if err := of.small(func(c *C.rd_mol) C.rd_error { return C.rd_copy(c, &first) }); err != nil {
			return nil, err
		}
		defer C.rd_free(first)
	}
	var out C.rd_data
	var size [2]C.double
	points, core := make([]C.double, 2*m.atoms), make([]C.int32_t, m.atoms)
	err := m.small(func(c *C.rd_mol) C.rd_error {
		return C.rd_draw(c, first, C.double(bond), lettersOf(bond), &size[0], &points[0], &core[0], &out)
	})
	if err != nil {
		return nil, err
	}
	d := drawn(size, points, out)
	for _, k := range core {
		d.Core = append(d.Core, int32(k))
	}
	return d, nil
}

func (toolkit) DrawStructure(s *chem.Structure, bond float64, like *chem.Structure) (*chem.Drawing, error) {
	if err := checkBond(bond); err != nil {
		return nil, err
	}
	if len(s.Atoms) > chem.MaxScored {
		return nil, invalid("a molecule of %d atoms, expected at most %d", len(s.Atoms), chem.MaxScored)
	}
	atoms, bonds, err := plain(s)
	if err != nil {
		return nil, err
	}
	places := bonds
	if like != nil {
		if len(like.Atoms) != len(s.Atoms) {
			return nil, invalid("a structure of %d atoms drawn like one of %d, expected as many", len(s.Atoms), len(like.Atoms))
		}
		if _, places, err = plain(like); err != nil {
			return nil, err
		}
	}
	var out C.rd_data
	var size [2]C.double
	points := make([]C.double, 2*len(atoms))
	if err := failure(C.rd_draw_structure(unsafe.SliceData(atoms), C.int(len(atoms)), unsafe.SliceData(bonds), C.int(len(bonds)), unsafe.SliceData(places), C.int(len(places)), C.double(bond), lettersOf(bond), &size[0], &points[0], &out)); err != nil {
		return nil, err
	}
	return drawn(size, points, out), nil
}

func checkBond(bond float64) error {
	if !(bond >= 1 && bond <= chem.MaxPixels) {
		return invalid("bonds of %g pixels, expected 1 to %d", bond, chem.MaxPixels)
	}
	return nil
}

// lettersOf returns the size of letters for bonds of a length.
func lettersOf(bond float64) C.int { return C.int(max(leastLetters, math.Round(bond*0.55))) }

// drawn converts and frees what C has drawn.
func drawn(size [2]C.double, points []C.double, out C.rd_data) *chem.Drawing {
	d := &chem.Drawing{Width: float64(size[0]), Height: float64(size[1]), Marks: marksOf(string(taken[byte](out)))}
	for i := 0; i < len(points); i += 2 {
		d.Atoms = append(d.Atoms, [2]float64{float64(points[i]), float64(points[i+1])})
	}
	return d
}

var (
	pathMark = regexp.MustCompile(`<path [^>]*>`)
	pathData = regexp.MustCompile(` d='([^']*)'`)
	lineOf   = regexp.MustCompile(`stroke-width:([0-9.]+)px`)
	filled   = regexp.MustCompile(`fill:#|fill='#`)
)

// marksOf returns the paths of an SVG as RDKit writes it.
func marksOf(svg string) (out []chem.Mark) {
	for _, text := range pathMark.FindAllString(svg, -1) {
		d := pathData.FindStringSubmatch(text)
		if d == nil {
			continue
		}
		mark := chem.Mark{Path: d[1]}
		if line := lineOf.FindStringSubmatch(text); line != nil && !filled.MatchString(text) {
			mark.Line, _ = strconv.ParseFloat(line[1], 64)
		}
		out = append(out, mark)
	}
	return out
}
