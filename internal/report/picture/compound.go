package picture

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/report/draw"
)

// compound is a molecule drawn by a toolkit, with a colour under bonds and atoms.
type compound struct {
	Cell
	*chem.Drawing
	mol   chem.Molecule
	bonds []chem.Bond
	none  []chem.Bond // bonds of type NoBond, drawn as dashes
}

// drawCompound draws the molecule of a cell, aligned with start, which may be nil. The caller closes mol.
func drawCompound(c Cell, bond float64, start chem.Molecule, tk chem.Toolkit) (*compound, error) {
	c.TopLeft, c.TopRight, c.BottomLeft, c.BottomRight = safe(c.TopLeft), safe(c.TopRight), safe(c.BottomLeft), safe(c.BottomRight)
	if c.Structure == nil && c.SMILES == "" {
		return &compound{Cell: c, Drawing: &chem.Drawing{}}, nil
	}
	if c.Structure != nil {
		d, err := tk.DrawStructure(c.Structure, bond, c.Like)
		if err != nil {
			return nil, err
		}
		out := &compound{Cell: c, Drawing: d}
		for _, b := range c.Structure.Bonds {
			if b.Type == chem.NoBond {
				out.none = append(out.none, b)
			} else {
				out.bonds = append(out.bonds, b)
			}
		}
		return out, out.fits()
	}
	m, err := tk.Parse(c.SMILES)
	if err != nil {
		return nil, err
	}
	out := &compound{Cell: c, mol: m}
	structure, err := m.Structure()
	if err == nil {
		out.bonds = structure.Bonds
		out.Drawing, err = m.Draw(bond, start)
	}
	if err == nil {
		err = out.fits()
	}
	if err != nil {
		m.Close()
		return nil, err
	}
	return out, nil
}

// fits returns an error for contributions and shades that do not match the bonds and atoms.
func (c *compound) fits() error {
	switch bonds := c.Cell.Bonds; {
	case bonds != nil && len(bonds) != len(c.bonds):
		return fmt.Errorf("picture: %d contributions of %d bonds", len(bonds), len(c.bonds))
	case c.Shades != nil && len(c.Shades) != len(c.bonds) || c.AtomShades != nil && len(c.AtomShades) != len(c.Drawing.Atoms):
		return fmt.Errorf("picture: %d and %d shades of %d bonds and %d atoms", len(c.Shades), len(c.AtomShades), len(c.bonds), len(c.Drawing.Atoms))
	}
	return nil
}

// close closes the molecule, if there is one.
func (c *compound) close() {
	if c.mol != nil {
		c.mol.Close()
	}
}

// differ colours the bonds that the start does not have.
func (c *compound) differ(start *compound) {
	of := map[[2]int32]chem.BondType{}
	for _, b := range start.bonds {
		of[pair(b.Begin, b.End)] = b.Type
	}
	c.Shades = make([]Shade, len(c.bonds))
	for i, b := range c.bonds {
		u, v := c.Core[b.Begin], c.Core[b.End]
		if t, ok := of[pair(u, v)]; u < 0 || v < 0 || !ok || t != b.Type {
			c.Shades[i].Ink = mixed(1)
		}
	}
}

// Width of a halo as a share of the bond length. Contributions below a share of the scale are not coloured.
const (
	haloWidth  = 0.42
	leastShade = 0.08
)

// shade makes shades from contributions, given the end of their scale.
func (c *compound) shade(scale float64) {
	if c.Shades != nil {
		return
	}
	for _, v := range c.Cell.Bonds {
		shade := Shade{Title: signed(v)}
		if scale > 0 && math.Abs(v) >= leastShade*scale {
			shade.Ink = mixed(v / scale)
		}
		c.Shades = append(c.Shades, shade)
	}
}

// on draws the molecule on a scene: halos under bonds and atoms, then the strokes and letters.
func (c *compound) on(s *draw.Scene, x, y float64) {
	length := c.bondLength()
	line := func(b chem.Bond) string {
		p, q := c.Drawing.Atoms[b.Begin], c.Drawing.Atoms[b.End]
		return draw.Data("M", x+p[0], y+p[1], "L", x+q[0], y+q[1])
	}
	for i, shade := range c.Shades {
		if shade.Ink != "" {
			s.Named(shade.Name, shade.Title, func() {
				s.Path(line(c.bonds[i]), draw.Stroke{Line: shade.Ink, Width: haloWidth * length, Round: true})
			})
		}
	}
	for i, shade := range c.AtomShades {
		if shade.Ink != "" {
			s.Circle(x+c.Drawing.Atoms[i][0], y+c.Drawing.Atoms[i][1], haloWidth*length*0.7, draw.Stroke{Fill: shade.Ink})
		}
	}
	for _, b := range c.none {
		s.Path(line(b), draw.Stroke{Line: draw.BlackInk, Width: 1, Dash: "3 3"})
	}
	lines := map[float64]string{}
	for _, m := range c.Marks {
		if m.Line == 0 {
			s.Glyph(x, y, m.Path, draw.BlackInk)
			continue
		}
		lines[m.Line] += strings.TrimSpace(m.Path) // all lines of the same width are one path
	}
	for _, width := range slices.Sorted(maps.Keys(lines)) {
		s.PathAt(x, y, compact(lines[width]), draw.Stroke{Line: draw.BlackInk, Width: width})
	}
}

// compact removes unnecessary blanks of path data.
func compact(path string) string {
	return strings.NewReplacer(" L ", "L", "M ", "M", " M", "M", " Z", "Z", " Q ", "Q", " C ", "C").Replace(path)
}

// The diverging scale behind black letters: decrease, nothing, increase.
var diverging = [3][3]float64{{0x5a, 0x9f, 0xdd}, {0xf1, 0xf2, 0xf4}, {0xe5, 0x8a, 0x2e}}

// mixed is the colour of a contribution, given as a share of the scale, -1 to 1.
func mixed(share float64) draw.Ink {
	end, t := diverging[2], min(math.Abs(share), 1)
	if share < 0 {
		end = diverging[0]
	}
	var rgb [3]int
	for k := range rgb {
		rgb[k] = int(math.Round(diverging[1][k]*(1-t) + end[k]*t))
	}
	return draw.Ink(fmt.Sprintf("#%02x%02x%02x", rgb[0], rgb[1], rgb[2]))
}

// niceEnd rounds up to 1, 2, 3 or 5 times a power of 10.
func niceEnd(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 3, 5} {
		if v <= m*power*(1+1e-6) { // float32 has no more digits
			return m * power
		}
	}
	return 10 * power
}

// colourBar draws the scale of contributions with five ticks.
func colourBar(s *draw.Scene, x, y, width, scale float64, of string) {
	const steps, side = 40, 60.0
	muted := onPaper(false, true)
	muted.Anchor = draw.Middle
	left := x + side
	if of != "" {
		s.Text(left+width/2, y, "contribution to the "+of, muted)
	}
	for i := range steps {
		w := width / steps
		s.Box(left+float64(i)*w, y+8, w+0.5, 12, draw.Stroke{Fill: mixed(2*(float64(i)+0.5)/steps - 1)})
	}
	s.Text(left-8, y+18, "lowers", draw.TextStyle{Ink: muted.Ink, Anchor: draw.End})
	s.Text(left+width+8, y+18, "raises", draw.TextStyle{Ink: muted.Ink})
	decimals := min(4, max(2, int(math.Ceil(-math.Log10(scale)))+1)) // half of the scale has one more decimal
	for i := range 5 {
		v := scale * (float64(i)/2 - 1)
		at := left + width*float64(i)/4
		s.Path(draw.Data("M", at, y+20, "V", y+24), draw.Stroke{Line: "#7d8693", Width: 1})
		s.Text(at, y+38, signedTo(v, decimals), muted)
	}
}

// signed formats a contribution with its sign and two decimals; below 0.1 with more, so that there is at least one significant digit.
func signed(v float64) string {
	decimals := 2
	if a := math.Abs(v); a > 0 && a < 0.05 {
		decimals = min(4, int(math.Ceil(-math.Log10(a))))
	}
	return signedTo(v, decimals)
}

// signedTo formats a number with a sign (U+2212 for minus) and so many decimals; 0 has no sign.
func signedTo(v float64, decimals int) string {
	text := strconv.FormatFloat(math.Abs(v), 'f', decimals, 64)
	switch {
	case math.Abs(v) < 0.5*math.Pow(10, -float64(decimals)):
		return "0"
	case v < 0:
		return "−" + text
	}
	return "+" + text
}
