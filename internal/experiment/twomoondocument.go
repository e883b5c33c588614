package experiment

import (
	"fmt"
	"strconv"

	"github.com/ehgnn/ehgnn/data/synth"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/report/draw"
)

// moonValue is the experiment for programs.
type moonValue struct {
	Preset    string             `json:"preset"`
	Edges     int                `json:"edges"`
	MeanError map[string]float64 `json:"mse_of_mean_colour"` // by rule
	Trainings []moonResult       `json:"trainings"`
	Notes     []string           `json:"notes,omitempty"`
}

// document makes the table and a figure for each rule.
func (r moonRequest) document(graphs map[synth.Colouring]*graph.Graph, results []moonResult) (*report.Document, error) {
	list := &report.Listing{Columns: []report.ListingColumn{{Name: "colours", Left: true}, {Name: "model", Left: true}, {Name: "vectors"}, {Name: "squared error"},
		{Name: "right colour, %"}, {Name: "entropy"}, {Name: "epochs"}, {Name: "seconds"}}}
	v := moonValue{Preset: r.preset.name, MeanError: map[string]float64{}, Notes: r.notes}
	d := &report.Document{Title: fmt.Sprintf("Edge colours of the two-moon graph from 1 %% of its edges or nodes (%d epochs at most, rate %g)", r.base.Epochs, r.base.Rate),
		Parts: []report.Part{list}, Remarks: append(r.notes,
			"right colour: edges whose nearest colour of the palette is theirs. entropy: how an edge or node is divided over the\nvectors, in nats on the mean. mean colour: the error of predicting it for every edge, where trainings begin.")}
	for _, colours := range r.colours {
		g := graphs[colours]
		v.Edges, v.MeanError[string(colours)] = g.NumEdges(), meanColourError(g.EdgeLabel)
		list.Rows = append(list.Rows, []string{string(colours), "mean colour", "", fmt.Sprintf("%.4f", v.MeanError[string(colours)]), "", "", "", ""})
		panels := []*draw.Scene{moonPanel("original", g, colourTensor(g.EdgeLabel).Data())}
		for _, row := range r.rows {
			of := results[:len(r.seeds)]
			results = results[len(r.seeds):]
			list.Rows = append(list.Rows, moonLine(colours, row, of))
			panels = append(panels, moonPanel(fmt.Sprintf("%s, %.4f", row.title, of[0].MSE), g, channels(of[0].Drawn)))
			for _, one := range of {
				one.Drawn = nil
				v.Trainings = append(v.Trainings, one)
			}
		}
		figure, err := report.Drawn("two-moon-"+string(colours), fmt.Sprintf("Colours by the rule %s: original and reconstructed, with the squared error", colours),
			moonPanels(panels))
		if err != nil {
			return nil, err
		}
		d.Parts = append(d.Parts, figure)
	}
	d.Value, d.Sheets = v, []report.Sheet{moonSheet(v.Trainings)}
	return d, nil
}

// moonLine is the row of a model: means over its seeds, with their deviations.
func moonLine(colours synth.Colouring, row edgeRow, of []moonResult) []string {
	mean := func(format string, f func(moonResult) float64) string {
		return meanText(format, lists.Map(of, f))
	}
	entropy := "–"
	if of[0].Entropy > 0 {
		entropy = mean("%.2f", func(r moonResult) float64 { return r.Entropy })
	}
	return []string{string(colours), row.title, strconv.Itoa(of[0].Clusters), mean("%.4f", func(r moonResult) float64 { return r.MSE }),
		mean("%.1f", func(r moonResult) float64 { return 100 * r.Right }), entropy,
		mean("%.0f", func(r moonResult) float64 { return float64(r.Trained) }), mean("%.0f", func(r moonResult) float64 { return r.Seconds })}
}

// moonSheet has a row for each training.
func moonSheet(of []moonResult) report.Sheet {
	s := report.Sheet{Name: "table", Header: []string{"colours", "model", "seed", "mse", "right_colour", "entropy", "clusters", "best_epoch", "epochs", "seconds"}}
	for _, r := range of {
		s.Rows = append(s.Rows, []string{string(r.Colours), r.Row, fmt.Sprint(r.Seed), fmt.Sprint(r.MSE), fmt.Sprint(r.Right), fmt.Sprint(r.Entropy),
			fmt.Sprint(r.Clusters), fmt.Sprint(r.BestEpoch), fmt.Sprint(r.Trained), fmt.Sprintf("%.1f", r.Seconds)})
	}
	return s
}

// Sizes of a drawing of the graph in pixels.
const (
	moonWidth  = 230.0
	moonHeight = 150.0
	moonTitle  = 28.0
)

// moonPanel draws the edges of the graph in the given colours, without nodes.
func moonPanel(title string, g *graph.Graph, rgb []float32) *draw.Scene {
	s := &draw.Scene{Width: moonWidth, Height: moonHeight + moonTitle}
	name := draw.TextStyle{Bold: true, Ink: draw.BlackInk}
	s.Text(0, 14, draw.CutMiddle(title, name, moonWidth), name)
	at := func(v int32, k int) float64 { return float64(g.Node.Dense[2*int(v)+k]) }
	var low, high [2]float64
	for v := range int32(g.NumNodes) {
		for k := range low {
			if v == 0 {
				low[k], high[k] = at(v, k), at(v, k)
			}
			low[k], high[k] = min(low[k], at(v, k)), max(high[k], at(v, k))
		}
	}
	place := func(v int32) (x, y float64) {
		return (at(v, 0) - low[0]) / (high[0] - low[0]) * moonWidth, moonTitle + (high[1]-at(v, 1))/(high[1]-low[1])*moonHeight
	}
	// Edges of similar colour share a path: a path for each edge would take megabytes.
	level := func(v float32) int { return 17 * int(15*min(max(v, 0), 1)+0.5) }
	paths := map[draw.Ink][]any{}
	var inks []draw.Ink
	for e := range g.NumEdges() {
		x, y := place(g.Ends[2*e])
		u, v := place(g.Ends[2*e+1])
		ink := draw.Ink(fmt.Sprintf("#%02x%02x%02x", level(rgb[3*e]), level(rgb[3*e+1]), level(rgb[3*e+2])))
		if paths[ink] == nil {
			inks = append(inks, ink)
		}
		paths[ink] = append(paths[ink], "M", x, y, "L", u, v)
	}
	for _, ink := range inks {
		s.Path(draw.Data(paths[ink]...), draw.Stroke{Line: ink, Width: 0.8})
	}
	return s
}

// moonPanels arranges drawings of the graph in rows.
func moonPanels(panels []*draw.Scene) *draw.Scene {
	const gap, most = report.PictureMargin, 4
	columns := min(most, len(panels))
	rows := (len(panels) + columns - 1) / columns
	s := &draw.Scene{Width: gap + float64(columns)*(moonWidth+gap), Height: gap + float64(rows)*(moonHeight+moonTitle+gap), Label: "The edges of the two-moon graph in their colours"}
	s.Plate(draw.WhiteInk) // black colours are visible in both schemes
	for i, p := range panels {
		s.Add(gap+float64(i%columns)*(moonWidth+gap), gap+float64(i/columns)*(moonHeight+moonTitle+gap), p)
	}
	return s
}

// channels converts colours from one byte for each channel to numbers from 0 to 1.
func channels(drawn []byte) []float32 {
	return lists.Map(drawn, func(v byte) float32 { return float32(v) / 255 })
}
