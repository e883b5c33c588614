package picture

import (
	"math"
	"regexp"
	"strconv"

	"github.com/ehgnn/ehgnn/internal/report/draw"
)

// Layout of the numbers beside atoms, in pixels: the bond length from which there are numbers; the smallest distance of
// a number's centre from strokes and letters, without and with a colour below; the largest distance from its atom.
const (
	numberedBond = 26.0
	leastFree    = 9.0
	enoughFree   = 13.0
)

var numberAway = []float64{16, 20, 24}

// number writes names beside some atoms of a molecule drawn at (x, y), if there is room: at the smallest sufficient
// distance, in the direction farthest from strokes and letters.
func (c *compound) number(s *draw.Scene, x, y float64, names map[int32]string) {
	if c.bondLength() < numberedBond {
		return
	}
	style := onPaper(false, true)
	style.Size, style.Anchor = 12, draw.Middle
	taken := c.inked()
	for v := range int32(len(c.Drawing.Atoms)) {
		name, ok := names[v]
		if !ok {
			continue
		}
		at := c.Drawing.Atoms[v]
		half := style.WidthOf(name)/2 - 3 // the height of a letter is already included
		best, free := [2]float64{}, 0.0
		for _, away := range numberAway {
			for turn := range 24 {
				angle := float64(turn) * math.Pi / 12
				p := [2]float64{at[0] + away*math.Cos(angle), at[1] + away*math.Sin(angle)}
				if f := clear(p, half, taken); f > free+1e-6 {
					best, free = p, f
				}
			}
			if free >= enoughFree {
				break
			}
		}
		if free < leastFree {
			continue
		}
		s.Text(x+best[0], y+best[1]+4, name, style)
		for d := -half; d <= half+1e-9; d += max(half, 1) {
			taken = append(taken, [2]float64{best[0] + d, best[1]})
		}
	}
}

// clear is the distance of a text of some width at p from the nearest of some points.
func clear(p [2]float64, half float64, taken [][2]float64) float64 {
	nearest := math.Inf(1)
	for _, q := range taken {
		dx := max(math.Abs(p[0]-q[0])-max(half, 0), 0)
		nearest = min(nearest, math.Hypot(dx, p[1]-q[1]))
	}
	return nearest
}

var coordinates = regexp.MustCompile(`(-?[0-9.]+)[ ,](-?[0-9.]+)`)

// inked returns closely spaced points of the strokes and letters.
func (c *compound) inked() (out [][2]float64) {
	const step = 3.0
	for _, b := range c.bonds {
		p, q := c.Drawing.Atoms[b.Begin], c.Drawing.Atoms[b.End]
		n := max(1, math.Ceil(math.Hypot(p[0]-q[0], p[1]-q[1])/step))
		for k := range int(n) + 1 {
			t := float64(k) / n
			out = append(out, [2]float64{p[0]*(1-t) + q[0]*t, p[1]*(1-t) + q[1]*t})
		}
	}
	for _, m := range c.Marks {
		for _, pair := range coordinates.FindAllStringSubmatch(m.Path, -1) {
			u, _ := strconv.ParseFloat(pair[1], 64)
			v, _ := strconv.ParseFloat(pair[2], 64)
			out = append(out, [2]float64{u, v})
		}
	}
	return out
}

// bondLength is the mean length of the bonds.
func (c *compound) bondLength() (length float64) {
	for _, b := range c.bonds {
		p, q := c.Drawing.Atoms[b.Begin], c.Drawing.Atoms[b.End]
		length += math.Hypot(p[0]-q[0], p[1]-q[1]) / float64(len(c.bonds))
	}
	return length
}
