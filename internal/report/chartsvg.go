package report

import (
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"
)

// fewDots is the number of dots up to which each dot is large and a separate element.
const fewDots = 60

// unit is the side of the inner drawing, which is stretched with the plot.
const unit = 10000

// percentOf is a share as a CSS length.
func percentOf(share float64) string {
	return trimZeros(strconv.FormatFloat(100*share, 'f', 2, 64)) + "%"
}

// grid draws horizontal lines, the axes and their ticks.
func (c *Chart) grid(b *strings.Builder) {
	if c.Columns != nil {
		c.parallel(b)
		return
	}
	b.WriteString(`<g class="ygrid">`)
	for _, v := range c.Y.Ticks {
		y := percentOf(1 - c.Y.At(v))
		class := "g"
		if v == 0 {
			class = "ax"
		}
		fmt.Fprintf(b, `<line x2="100%%" y1="%s" y2="%s" class="%s"/><text x="-8" y="%s" dy="4.5" text-anchor="end">%s</text>`, y, y, class, y, html.EscapeString(c.Y.Text(v)))
	}
	b.WriteString(`</g><line x2="100%" y1="100%" y2="100%" class="ax"/><g class="xgrid">`)
	for _, v := range c.X.Ticks {
		c.tick(b, v, map[bool]string{false: "o"}[slices.Contains(c.X.Narrow, v)])
	}
	for _, v := range c.X.Narrow {
		if !slices.Contains(c.X.Ticks, v) {
			c.tick(b, v, "n")
		}
	}
	b.WriteString("</g>")
	if c.Diagonal {
		fmt.Fprintf(b, `<svg aria-hidden="true" width="100%%" height="100%%" viewBox="0 0 %d %[1]d" preserveAspectRatio="none" overflow="visible"><path class="ax dash" d="M0 %[1]dL%[1]d 0"/></svg>`, unit)
	}
}

// parallel draws the axes of parallel coordinates: the ends of each axis next to it, and names below. In narrow
// plots the names are in two rows, so that neighbours do not overlap.
func (c *Chart) parallel(b *strings.Builder) {
	for i, column := range c.Columns {
		x := percentOf(c.X.At(float64(i)))
		fmt.Fprintf(b, `<line x1="%[1]s" x2="%[1]s" y2="100%%" class="ax"/><text x="%[1]s" y="-8" text-anchor="middle">%[2]s</text><text x="%[1]s" y="100%%" dy="18" text-anchor="middle">%[3]s</text><text x="%[1]s" y="100%%" dy="%[4]d" text-anchor="middle" class="name%[6]s">%[5]s</text>`,
			x, html.EscapeString(column.High), html.EscapeString(column.Low), 36+18*(i%2), html.EscapeString(column.Name), []string{"", " second"}[i%2])
	}
}

// tick draws a tick of x. Class o hides it in narrow plots, n in others. A long text at an end of the axis stays
// within the figure.
func (c *Chart) tick(b *strings.Builder, v float64, class string) {
	x, text, anchor := percentOf(c.X.At(v)), c.X.Text(v), `text-anchor="middle"`
	if len(text) > 3 {
		switch c.X.At(v) {
		case 0:
			anchor = `text-anchor="start" dx="-14"`
		case 1:
			anchor = `text-anchor="end" dx="14"`
		}
	}
	fmt.Fprintf(b, `<rect x="%s" y="100%%" width="1" height="4" class="%s"/><text x="%s" y="100%%" dy="18" %s class="%s">%s</text>`,
		x, strings.TrimSpace("tick "+class), x, anchor, class, html.EscapeString(text))
}

// foreground draws marks, which cover the series, and the dot of the threshold. The name of a mark is beside its line.
// In the middle of a narrow plot, where no side has room, it is centred on the line.
func (c *Chart) foreground(b *strings.Builder) {
	for _, m := range c.Marks {
		share := c.X.At(m.X)
		dx, anchor := 0, "middle"
		switch {
		case share < 0.35:
			dx, anchor = 6, "start"
		case share > 0.65:
			dx, anchor = -6, "end"
		}
		fmt.Fprintf(b, `<g class="mark"><line x1="%[1]s" x2="%[1]s" y2="100%%" class="ax" stroke-dasharray="2 3"/><text x="%[1]s" dx="%[2]d" y="24" text-anchor="%[3]s">%[4]s</text></g>`,
			percentOf(share), dx, anchor, html.EscapeString(m.Name))
	}
	if c.Role != "" {
		fmt.Fprintf(b, `<circle class="at" r="6" stroke="var(--c1)" cx="%s" cy="%s"/>`, percentOf(c.X.At(c.At[0])), percentOf(1-c.Y.At(c.At[1])))
	}
}

// draw draws the series; group is its index in the legend, -1 for none.
func (s Series) draw(b *strings.Builder, c *Chart, group int) {
	of := ""
	if group >= 0 {
		of = fmt.Sprintf(` data-g="%d"`, group)
	}
	colour := "var(--" + s.Colour + ")"
	x := func(i int) string { return percentOf(c.X.At(s.X[i])) }
	y := func(v float64) string { return percentOf(1 - c.Y.At(v)) }
	switch {
	case s.Kind == Bars:
		for i := range s.X {
			top := c.Y.At(s.Y[i])
			fmt.Fprintf(b, `<rect x="%s" y="%s" width="%s" height="%s" fill="%s" stroke="var(--bg)"%s/>`, x(i), percentOf(1-top), percentOf(c.X.At(s.X2[i])-c.X.At(s.X[i])), percentOf(top), colour, of)
		}
	case s.Kind == Points:
		for i := range s.X {
			fmt.Fprintf(b, `<line x1="%[1]s" x2="%[1]s" y1="%[2]s" y2="%[3]s" stroke="%[4]s" stroke-width="3"%[5]s/><circle cx="%[1]s" cy="%[6]s" r="5" fill="%[4]s"%[5]s/>`, x(i), y(s.Low[i]), y(s.High[i]), colour, of, y(s.Y[i]))
		}
	case s.Kind == Dots && len(s.X) <= fewDots:
		for i := range s.X {
			fmt.Fprintf(b, `<circle cx="%s" cy="%s" r="5" fill="%s"%s/>`, x(i), y(s.Y[i]), colour, of)
		}
	default:
		fmt.Fprintf(b, `<svg aria-hidden="true" width="100%%" height="100%%" viewBox="0 0 %d %d" preserveAspectRatio="none" overflow="visible"%s>`, unit, unit, of)
		s.paths(b, c, colour)
		b.WriteString(`</svg>`)
	}
}

// paths returns the paths of a line, a band, or many dots. Dots are divided among several paths, so that
// overlapping dots look darker.
func (s Series) paths(b *strings.Builder, c *Chart, colour string) {
	at := func(x, y float64) string {
		return strconv.Itoa(int(unit*c.X.At(x)+0.5)) + " " + strconv.Itoa(int(unit*(1-c.Y.At(y))+0.5))
	}
	switch s.Kind {
	case Dots:
		const layers = 24
		for layer := range layers {
			var d strings.Builder
			for i := layer; i < len(s.X); i += layers {
				d.WriteString("M" + at(s.X[i], s.Y[i]) + "h1")
			}
			fmt.Fprintf(b, `<path class="dots" stroke="%s" d="%s"/>`, colour, d.String())
		}
	case Band:
		var d []string
		for i := range s.X {
			d = append(d, at(s.X[i], s.High[i]))
		}
		for i := len(s.X) - 1; i >= 0; i-- {
			d = append(d, at(s.X[i], s.Low[i]))
		}
		fmt.Fprintf(b, `<path class="band" fill="%s" d="M%sz"/>`, colour, strings.Join(d, "L"))
	default:
		var class []string
		for _, c := range []struct {
			on   bool
			name string
		}{{s.Best, "best"}, {s.Thin, "thin"}, {s.Dash, "dash"}} {
			if c.on {
				class = append(class, c.name)
			}
		}
		var d strings.Builder
		for i := range s.X {
			if i == 0 {
				d.WriteString("M")
			} else {
				d.WriteString("L")
			}
			d.WriteString(at(s.X[i], s.Y[i]))
		}
		fmt.Fprintf(b, `<path class="%s" stroke="%s" d="%s"/>`, strings.Join(class, " "), colour, d.String())
	}
}
