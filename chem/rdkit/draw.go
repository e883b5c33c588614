//go:build rdkit

package rdkit

// #include "shim.h"
import "C"

import (
	"image/color"
	"maps"
	"slices"
	"unsafe"

	"github.com/ehgnn/ehgnn/chem"
)

func (m *molecule) SVG(d chem.Depiction) ([]byte, error) { return m.draw(d, false) }
func (m *molecule) PNG(d chem.Depiction) ([]byte, error) { return m.draw(d, true) }

func (m *molecule) draw(d chem.Depiction, png bool) ([]byte, error) {
	if d.Width < 1 || d.Width > chem.MaxPixels || d.Height < 1 || d.Height > chem.MaxPixels {
		return nil, invalid("a picture of %d by %d pixels, expected 1 to %d", d.Width, d.Height, chem.MaxPixels)
	}
	atoms, err := colours(d.Atoms, m.atoms, "atom")
	if err != nil {
		return nil, err
	}
	bonds, err := colours(d.Bonds, m.bonds, "bond")
	if err != nil {
		return nil, err
	}
	var out C.rd_data
	err = m.small(func(c *C.rd_mol) C.rd_error {
		return C.rd_draw(c, C.int(d.Width), C.int(d.Height), C.int(truth(png)),
			unsafe.SliceData(atoms), C.int(len(atoms)), unsafe.SliceData(bonds), C.int(len(bonds)), &out)
	})
	if err != nil {
		return nil, err
	}
	return taken[byte](out), nil
}

// colours lists the colours by index, so that a picture does not depend on the order of a map.
func colours(of map[int]color.NRGBA, n int, what string) ([]C.rd_colour, error) {
	list := make([]C.rd_colour, 0, len(of))
	for _, i := range slices.Sorted(maps.Keys(of)) {
		if i < 0 || i >= n {
			return nil, invalid("a colour for %s %d of %d", what, i, n)
		}
		c := of[i]
		list = append(list, C.rd_colour{index: C.int32_t(i), r: C.uint8_t(c.R), g: C.uint8_t(c.G), b: C.uint8_t(c.B), a: C.uint8_t(c.A)})
	}
	return list, nil
}
