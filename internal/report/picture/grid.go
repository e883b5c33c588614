package picture

import (
	"fmt"
	"math"
	"slices"
	"unicode"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/report/draw"
	"github.com/ehgnn/ehgnn/internal/sanitize"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// Grid has molecules in rows on one scale, each aligned with the start by their common structure.
type Grid struct {
	Title, Note string // above; empty for none
	Foot        string // below; empty for none
	// Start is the molecule that others are compared with. It is drawn above them, and bonds that differ
	// from it are coloured. Nil for none.
	Start *Cell
	Cells []Cell
	// Width is the width of the picture in pixels; 0 for 984.
	Width float64
	// Contribution is the unit of the contributions of bonds and atoms, for example "log-odds": the caption of the colour bar.
	Contribution string
	Keys         []LegendEntry // meaning of shades
	Columns      int           // 0 for as many as the bond length allows
}

// Cell is a molecule of a grid with the texts around it.
type Cell struct {
	SMILES string // without SMILES and Structure the cell has no molecule
	// Structure replaces the SMILES. It need not be a valid molecule, and is not aligned with the start.
	Structure *chem.Structure
	Like      *chem.Structure // structure with the positions of the atoms; nil to compute positions
	// Texts above the molecule on the left and right, and below it; for the start, the lines beside it.
	TopLeft, TopRight, BottomLeft, BottomRight string
	// Bonds are contributions in the order of the SMILES; nil for none.
	Bonds []float64
	// Shades are colours of bonds instead of contributions, and AtomShades colours of atoms, in the same order.
	Shades, AtomShades []Shade
}

// Shade is a colour under a bond or an atom.
type Shade struct {
	Ink   draw.Ink // empty for none
	Title string   // shown while the pointer is on it
	Name  string   // name for the page; empty for none
}

// Sizes of grids in pixels.
const (
	gridWidth = 984.0
	cellGap   = 12.0
	cellPad   = 12.0
	cellText  = 36.0 // height of a line of text, with its margin
	leastCell = 225.0
	usualBond = 24.0
	// If bonds would be shorter than readableBond, there are fewer columns, but at least one.
	readableBond = 12.0
	leastBond    = 8.0
)

// Molecules draws a grid with a chemistry toolkit; nil is an error that says what to do.
func Molecules(g Grid, tk chem.Toolkit) (*draw.Scene, error) {
	if tk == nil {
		return nil, chem.ErrNoToolkit
	}
	if len(g.Cells) == 0 {
		return nil, settings.Misuse("picture: no molecule to draw, expected at least one")
	}
	if g.Width == 0 {
		g.Width = gridWidth
	}
	s := &gridScene{Grid: g, Scene: draw.Scene{Width: g.Width, Label: g.Title}}
	if s.Label == "" {
		s.Label = fmt.Sprintf("%d molecules", len(g.Cells))
	}
	if err := s.draw(tk); err != nil {
		return nil, err
	}
	s.lay()
	return &s.Scene, nil
}

// gridScene is the state of drawing a grid.
type gridScene struct {
	draw.Scene // its size is the size of the picture
	Grid       Grid
	start      *compound
	cells      []*compound
	cellWidth  float64
	scale      float64 // largest contribution of the colour bar; 0 for no contributions
	y          float64 // lower end of the picture so far
}

// draw draws the molecules in as many columns as the bond length allows.
func (s *gridScene) draw(tk chem.Toolkit) error {
	most := 0.0
	for _, c := range s.Grid.Cells {
		for _, v := range c.Bonds {
			most = max(most, math.Abs(v))
		}
	}
	if most > 0 {
		s.scale = niceEnd(most)
	}
	if err := s.drawWith(usualBond, tk); err != nil {
		return err
	}
	widest := 1.0
	for _, c := range s.cells {
		widest = max(widest, c.Width)
	}
	room, bond := s.Width-2*margin, 0.0
	columns := max(1, math.Floor((room+cellGap)/(leastCell+cellGap)))
	if s.Grid.Columns > 0 {
		columns = float64(s.Grid.Columns)
	}
	for n := columns; n >= 1; n-- {
		s.cellWidth = (room+cellGap)/n - cellGap
		if bond = usualBond * (s.cellWidth - 2*cellPad) / widest; bond >= readableBond || s.Grid.Columns > 0 {
			break
		}
	}
	if bond >= usualBond {
		return nil
	}
	for bond = max(leastBond, math.Floor(bond)); ; bond-- { // letters do not shrink with the bonds
		if err := s.drawWith(bond, tk); err != nil {
			return err
		}
		if bond <= leastBond || !slices.ContainsFunc(s.cells, func(c *compound) bool { return c.Width > s.cellWidth-2*cellPad }) {
			return nil
		}
	}
}

func (s *gridScene) drawWith(bond float64, tk chem.Toolkit) (err error) {
	var start chem.Molecule
	if s.Grid.Start != nil {
		if s.start, err = drawCompound(*s.Grid.Start, bond, nil, tk); err != nil {
			return err
		}
		defer s.start.close()
		start = s.start.mol
	}
	s.cells = nil
	for i, c := range s.Grid.Cells {
		drawn, err := drawCompound(c, bond, start, tk)
		if err != nil {
			return fmt.Errorf("picture: molecule %d: %w", i+1, err)
		}
		drawn.close()
		if s.Grid.Start != nil && c.Bonds == nil && c.Shades == nil {
			drawn.differ(s.start)
		}
		s.cells = append(s.cells, drawn)
	}
	return nil
}

// lay positions texts and molecules and sets the height.
func (s *gridScene) lay() {
	s.Plate(draw.WhiteInk)
	muted := onPaper(false, true)
	s.y = margin
	if s.Grid.Title != "" {
		s.Text(margin, s.y+10, s.Grid.Title, draw.TextStyle{Size: 16, Bold: true, Ink: draw.BlackInk})
		s.y += 22
	}
	for _, line := range draw.Wrap(s.Grid.Note, muted, s.Width-2*margin) {
		s.Text(margin, s.y+10, line, muted)
		s.y += 18
	}
	if s.scale > 0 {
		s.y += 12
		colourBar(&s.Scene, margin, s.y, min(300, s.Width-2*margin-160), s.scale, s.Grid.Contribution)
		s.y += 50
	}
	if len(s.Grid.Keys) > 0 {
		s.y = drawLegend(&s.Scene, s.Grid.Keys, s.y+22, muted) + 12
	}
	if s.start != nil {
		s.layStart()
	}
	room := s.Width - 2*margin
	s.y += 12
	for rest := s.cells; len(rest) > 0; {
		n, height := s.row(rest, room)
		s.y += height + cellGap
		rest = rest[n:]
	}
	for _, line := range draw.Wrap(s.Grid.Foot, muted, room) {
		s.Text(margin, s.y+16, line, muted)
		s.y += 18
	}
	s.Height = math.Ceil(s.y + 12)
}

// row draws the next cells of a row, which have the same width, and returns their number and height.
func (s *gridScene) row(cells []*compound, room float64) (n int, height float64) {
	n = min(len(cells), max(1, int((room+cellGap)/(s.cellWidth+cellGap)+1e-9)))
	highest := 0.0
	for _, c := range cells[:n] {
		highest = max(highest, c.Height)
	}
	for i, c := range cells[:n] {
		s.cell(c, margin+float64(i)*(s.cellWidth+cellGap), s.cellWidth, highest)
	}
	return n, highest + 2*cellText
}

// cell draws a molecule with its texts.
func (s *gridScene) cell(c *compound, x, width, highest float64) {
	muted, bold, y := onPaper(false, true), onPaper(true, false), s.y
	s.Box(x, y, width, highest+2*cellText, draw.Stroke{Line: "#d8dce2", Width: 1})
	pair := func(y float64, a, b string) {
		b = draw.CutMiddle(b, muted, 0.7*(width-2*cellPad))
		s.Text(x+cellPad, y, draw.CutMiddle(a, bold, width-3*cellPad-muted.WidthOf(b)), bold)
		s.Text(x+width-cellPad, y, b, anchored(muted, draw.End))
	}
	pair(y+21, c.TopLeft, c.TopRight)
	c.shade(s.scale)
	c.on(&s.Scene, x+(width-c.Width)/2, y+cellText+(highest-c.Height)/2)
	pair(y+highest+2*cellText-12, c.BottomLeft, c.BottomRight)
}

// layStart draws the start with its lines beside it.
func (s *gridScene) layStart() {
	c := s.start
	s.y += 8
	x := margin
	c.shade(s.scale)
	c.on(&s.Scene, x, s.y)
	y := s.y + max(c.Height/2-26, 0)
	if room := s.Width - 2*margin - c.Width - 24; room > 200 {
		x += c.Width + 24
	} else {
		y = s.y + c.Height
	}
	for i, line := range []string{c.TopLeft, c.TopRight, c.BottomLeft, c.BottomRight} {
		if line != "" {
			y += 18
			s.Text(x, y, draw.CutMiddle(line, onPaper(i == 0, i > 0), s.Width-margin-x), onPaper(i == 0, i > 0))
		}
	}
	s.y = max(s.y+c.Height, y) + 8
}

// onPaper is the style of a text on the white plate of molecules.
func onPaper(bold, muted bool) draw.TextStyle {
	if muted {
		return draw.TextStyle{Ink: "#565e6b"}
	}
	return draw.TextStyle{Bold: bold, Ink: draw.BlackInk}
}

// safe is a text of the data in one line. Right-to-left text is isolated, so that it does not reorder its surroundings.
func safe(text string) string {
	text = sanitize.Text(text)
	for _, r := range text {
		if unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko) {
			return draw.Isolate + text + draw.EndIsolate
		}
	}
	return text
}
