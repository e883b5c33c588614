//go:build rdkit

package rdkit

// #include "shim.h"
import "C"

import (
	"math"
	"regexp"
	"strconv"

	"github.com/ehgnn/ehgnn/chem"
)

// leastLetters is the size of letters in pixels that is always legible.
const leastLetters = 12

func (m *molecule) Draw(bond float64, start chem.Molecule) (*chem.Drawing, error) {
	if !(bond >= 1 && bond <= chem.MaxPixels) {
		return nil, invalid("bonds of %g pixels, expected 1 to %d", bond, chem.MaxPixels)
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
	letters := max(leastLetters, int(math.Round(bond*0.55)))
	err := m.small(func(c *C.rd_mol) C.rd_error {
		return C.rd_draw(c, first, C.double(bond), C.int(letters), &size[0], &points[0], &core[0], &out)
	})
	if err != nil {
		return nil, err
	}
	d := &chem.Drawing{Width: float64(size[0]), Height: float64(size[1]), Marks: marksOf(string(taken[byte](out)))}
	for i := range core {
		d.Atoms = append(d.Atoms, [2]float64{float64(points[2*i]), float64(points[2*i+1])})
		d.Core = append(d.Core, int32(core[i]))
	}
	return d, nil
}

var (
	pathMark = regexp.MustCompile(`<path [^>]*>`)
	pathData = regexp.MustCompile(` d='([^']*)'`)
	lineOf   = regexp.MustCompile(`stroke-width:([0-9.]+)px`)
	filled   = regexp.MustCompile(`fill:#|fill='#`)
)

// marksOf are the paths of an SVG as RDKit writes it.
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
