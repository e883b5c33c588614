package report

import (
	"encoding/json"
	"fmt"
	"html/template"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// Chart is a Part that a page draws: lines, points, bars or dots over two named axes. The drawing is an
// SVG with positions as shares of the plot and sizes in pixels, so text and lines have the same size at
// every width without a script. The script of pages adds values on hover and with arrow keys, and
// buttons that hide series.
type Chart struct {
	Title, Caption string
	X, Y           Axis
	Series         []Series
	Marks          []Mark
	// Diagonal draws a dashed line from the lower left to the upper right.
	Diagonal bool
	Square   bool // height equals width
	Tall     bool
	Hide     bool // the legend has buttons that hide series
	// Role says how the chart follows the threshold of the page: RolePR or RoleCost; empty for charts that do not.
	Role string
	// At is the position of the threshold, for a chart with a role.
	At [2]float64
	// Columns are the axes of parallel coordinates, at the values 0, 1, and so on of X; nil for other charts. Then Y is
	// from 0 to 1 and has no ticks.
	Columns []ChartColumn
	// Empty says why there is nothing to draw, and what to do about it; empty if there is something.
	Empty string
}

// Roles of charts that follow the threshold.
const (
	RolePR   = "pr"
	RoleCost = "cost"
)

// SeriesKind is how a Series is drawn.
type SeriesKind int

const (
	Line   SeriesKind = iota
	Dots              // a dot for each point
	Points            // a dot with its interval, Low to High
	Bars              // from X to X2, with height Y
	Band              // the area from Low to High
)

// Series are points of a Chart.
type Series struct {
	Name      string // in the legend and on hover; empty for neither
	Group     string // series of a group have one entry in the legend and are hidden together; empty for Name
	Colour    string // c1 to c5
	Kind      SeriesKind
	Dash      bool
	Thin      bool
	Best      bool // drawn thicker
	X, Y      []float64
	X2        []float64 // for Bars
	Low, High []float64 // for Points and Band
	Texts     []string  // hover text of each point; nil for its value
}

// ChartColumn is an axis of parallel coordinates with the texts of its ends.
type ChartColumn struct{ Name, Low, High string }

// ParallelAxes returns the axes of parallel coordinates of some columns.
func ParallelAxes(columns []ChartColumn) (x, y Axis) {
	x = Axis{High: float64(len(columns) - 1), Decimals: -1, Ticks: []float64{0, float64(len(columns) - 1)}}
	for _, c := range columns {
		x.Labels = append(x.Labels, c.Name)
	}
	return x, Axis{High: 1, Ticks: []float64{0, 1}}
}

// Mark is a vertical dotted line with a name.
type Mark struct {
	X    float64
	Name string
}

// ColourOf is the colour of the k-th series: one of four colours for models, then the grey of baselines.
func ColourOf(k int) string { return fmt.Sprintf("c%d", min(k, 4)+1) }

// Text is the title with the caption, without the picture.
func (c *Chart) Text() string { return c.Title + ": " + c.description() + "\n" }

// Markdown is the title with the caption, without the picture.
func (c *Chart) Markdown() string {
	return "**" + escapeMarkdown(c.Title) + "**: " + escapeMarkdown(c.description()) + "\n"
}

func (c *Chart) description() string {
	if c.Empty != "" {
		return c.Empty
	}
	return c.Caption
}

// chartKey is an entry of the legend.
type chartKey struct {
	Name, Colour, Shape string
	Group               int
}

// chartData is a chart as the template reads it.
type chartData struct {
	*Chart
	Drawing template.HTML
	Keys    []chartKey
	Data    string
	Class   string
}

// mostDots is how many dots of a series are drawn; of more, a random sample is drawn.
const mostDots = 2000

func (c *Chart) html() (pagePart, error) {
	d := chartData{Chart: c}
	if c.Empty != "" {
		return render("chart", d)
	}
	for _, a := range []Axis{c.X, c.Y} {
		if len(a.Ticks) < 2 || !(a.High > a.Low) {
			return "", fmt.Errorf("report: axis %q of %q goes from %v to %v with %d ticks, expected at least two", a.Name, c.Title, a.Low, a.High, len(a.Ticks))
		}
	}
	groups := map[string]int{}
	group := func(s Series) int {
		name := s.Group
		if name == "" {
			name = s.Name
		}
		if name == "" {
			return -1
		}
		k, ok := groups[name]
		if !ok {
			k = len(groups)
			groups[name] = k
			d.Keys = append(d.Keys, chartKey{name, s.Colour, s.shape(), k})
		}
		return k
	}
	var b strings.Builder
	c.grid(&b)
	data := chartJSON{X: c.X.data(), Y: c.Y.data(), Cost: c.Role == RoleCost}
	for i := range c.Series {
		s := c.Series[i].drawn(uint64(i))
		g := group(s)
		s.draw(&b, c, g)
		if s.Name != "" && s.Kind != Band {
			data.Series = append(data.Series, s.data(g))
		}
	}
	if len(d.Keys) == 1 && c.Role == RoleCost {
		d.Keys = nil // the axis has the name already
	}
	c.foreground(&b)
	text, err := json.Marshal(data)
	if err != nil {
		return "", fmt.Errorf("report: chart %q: %w", c.Title, err)
	}
	d.Drawing, d.Data = template.HTML(b.String()), string(text)
	widest := 1
	for _, v := range c.Y.Ticks {
		widest = max(widest, len([]rune(c.Y.Text(v))))
	}
	if c.Role == RoleCost {
		widest = max(widest, 7) // the user can change costs, which may then be larger
	}
	if c.Columns != nil {
		widest = 4
	}
	d.Class = "y" + strconv.Itoa(min(widest, 8))
	if c.Square {
		d.Class += " square"
	} else if c.Tall {
		d.Class += " tall"
	}
	if c.Columns != nil {
		d.Class += " parallel"
	}
	return render("chart", d)
}

// Sentence is the label of the drawing.
func (c *Chart) Sentence() string { return strings.TrimSpace(c.Title + ". " + c.Caption) }

func (s Series) shape() string {
	switch {
	case s.Kind == Bars:
		return "square"
	case s.Kind == Dots || s.Kind == Points:
		return "dot"
	case s.Dash:
		return "dash"
	}
	return "line"
}

// drawn returns the series with at most mostDots dots, sampled with a seed.
func (s Series) drawn(seed uint64) Series {
	if s.Kind != Dots || len(s.X) <= mostDots {
		return s
	}
	some := rand.New(rand.NewPCG(seed, 1)).Perm(len(s.X))[:mostDots]
	slices.Sort(some)
	out := s
	out.X, out.Y, out.Texts = nil, nil, nil
	for _, i := range some {
		out.X, out.Y = append(out.X, s.X[i]), append(out.Y, s.Y[i])
		if s.Texts != nil {
			out.Texts = append(out.Texts, s.Texts[i])
		}
	}
	return out
}

// chartJSON has the axes and the values of series for the script.
type chartJSON struct {
	X      axisJSON     `json:"x"`
	Y      axisJSON     `json:"y"`
	Series []seriesJSON `json:"s"`
	Cost   bool         `json:"cost,omitempty"`
}

type axisJSON struct {
	Name     string   `json:"n"`
	Low      float64  `json:"a"`
	High     float64  `json:"b"`
	Log      bool     `json:"log,omitempty"`
	Labels   []string `json:"l,omitempty"`
	Decimals int      `json:"d"`
}

type seriesJSON struct {
	Name   string      `json:"n"`
	Colour string      `json:"c"`
	Group  int         `json:"g"`
	Dots   bool        `json:"dots,omitempty"` // hover selects the nearest dot, not the nearest x
	X      []shortened `json:"x"`
	Y      []shortened `json:"y"`
	Texts  []string    `json:"t,omitempty"`
}

// shortened is a number with five digits as JSON.
type shortened float64

func (s shortened) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(s)) || math.IsInf(float64(s), 0) {
		return nil, fmt.Errorf("%v is no number", float64(s))
	}
	return strconv.AppendFloat(nil, float64(s), 'g', 5, 64), nil
}

func (a Axis) data() axisJSON { return axisJSON{a.Name, a.Low, a.High, a.Log, a.Labels, a.Decimals} }

func (s Series) data(group int) seriesJSON {
	out := seriesJSON{Name: s.Name, Colour: s.Colour, Group: group, Dots: s.Kind == Dots && len(s.X) > fewDots, Texts: s.Texts}
	for i, x := range s.X {
		if s.Kind == Bars {
			x = (x + s.X2[i]) / 2
		}
		out.X, out.Y = append(out.X, shortened(x)), append(out.Y, shortened(s.Y[i]))
	}
	return out
}
