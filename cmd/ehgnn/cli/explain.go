package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/explain"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/report/picture"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
)

// explainFlags are the flags of explain.
type explainFlags struct {
	useFlags
	edgeFlags
	graphs, node, edge         []string
	method, target, colour, to string
	top                        int
}

func newExplain(a *app) *cobra.Command {
	u := &explainFlags{}
	cmd := &cobra.Command{
		Use:   "explain RUN [DATA]",
		Short: "Explain predictions by edges and columns, or show which edges a run kept, dropped or clustered",
		Long: `Show what a prediction depends on, or what a trained run did with the edges of a graph.

The method shapley writes a prediction for an edge of a table as a sum: a base, the
contributions of the edge's own columns, and the contributions of other edges. The picture
shows the most important ones. The contribution of an edge compares predictions with and
without it. A test shows the score with only these edges, without them, and with as many
random edges at the same ends.

Other methods: occlusion removes one edge at a time and scores each by the decrease of the
target's value: the difference between the logit of the class and the next highest, the
logit of a label, or the number. gradient scores an edge by gradient times features, or by
the gradient of its weight if the model reads no edge features; it needs one pass. mask
learns a weight for each edge such that a small sum of weights keeps the prediction
(GNNExplainer), from five starts. random is for comparison. All have their fidelity: the
change of the prediction without the edges with the highest scores, and with only these
edges, compared with as many random edges.

The method columns divides a prediction of the default model for an edge among all columns that
the model reads of it: trees by exact Shapley values, networks by integrated gradients.

Predictions for nodes or edges of a graph are explained one at a time: --node and --edge
use the names in predictions, for an edge its number or SOURCE:TARGET. The edges in the
receptive field of the model have scores; of more than 2,000 edges, or fewer in a large
graph, only the nearest. The picture has the edges with the highest scores and their paths.
When an edge is removed, the others keep their structure and time columns, and the model
reads the same labels as in the prediction.

The method record lists which edges each layer of HyperDrop kept and dropped, with their
scores, and the cluster of each edge in HyperCluster. It is not an explanation: a model may
drop an edge after it has read it. It is the default if the model reconstructs its data.

The chemistry build draws molecules of tables of SMILES, of MUTAG and of ZINC with RDKit.
Other graphs are drawn as a column of nodes with arcs, large ones as one node with its edges.`,
		Example: `  ehgnn explain runs/mutag --graph 3
  ehgnn explain runs/mutag MUTAG.zip --graph 3,17 --out why.svg
  ehgnn explain runs/cora --node 633 --out why.svg
  ehgnn explain runs/payments new-payments --edge 17,35 --out why.html
  ehgnn explain runs/payments --edge 17 --show amount,channel --words payment,payer,payee --out why.svg
  ehgnn explain runs/mutag --graph 3 --method record --out kept.svg
  ehgnn explain runs/zinc --split test --graph 0,1,2 --out clusters.png
  ehgnn explain runs/mutag --graph 3 --out record.json`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error { return u.run(a, cmd, args) },
	}
	u.useFlags.register(cmd)
	u.edgeFlags.register(cmd)
	f := cmd.Flags()
	f.Lookup("split").Usage = "train, valid, test or all (default: all)"
	f.StringSliceVar(&u.graphs, "graph", nil, "graphs by their names in predictions, separated by commas or repeated (default: the first)")
	f.StringSliceVar(&u.node, "node", nil, "nodes by their names in predictions, if the run predicts for nodes (default: the first)")
	f.StringSliceVar(&u.edge, "edge", nil, "edges by their numbers in predictions, by their id in the table or as SOURCE:TARGET, if the run predicts for edges (default: the first)")
	f.StringVar(&u.method, "method", "", strings.Join(methods, ", ")+" (default: shapley for the edges of a table, else occlusion, or record if the model reconstructs its data)")
	f.StringVar(&u.target, "target", "", "the class, label or number whose prediction is explained (default: the predicted class, or the first label or number)")
	f.IntVar(&u.top, "top", 15, "number of edges that are listed and drawn, or of columns with --method columns (by default fewer edges, if the others add little)")
	f.StringVar(&u.colour, "colour", picture.ByScore, "meaning of the colours of kept edges: score, or component of the remaining graph, as in the paper")
	f.StringVar(&u.to, "out", "", "file to write, by extension .svg, .png, .html or .json (default: a table on standard output)")
	complete(cmd, "method", func() []string { return methods })
	complete(cmd, "colour", func() []string { return colours })
	return cmd
}

var (
	methods = []string{explain.Shapley, explain.ByColumns, explain.Occlusion, explain.Gradient, explain.Mask, explain.Chance, explain.Recorded}
	colours = []string{picture.ByScore, picture.ByComponent}
)

func (u *explainFlags) run(a *app, cmd *cobra.Command, args []string) error {
	if u.to != "" && u.format().render == nil {
		return usage(fmt.Errorf("--out is %s, expected a file .svg, .png, .html or .json", u.to))
	}
	if u.method != "" {
		if err := oneOf("method", u.method, methods...); err != nil {
			return err
		}
	}
	if err := oneOf("colour", u.colour, colours...); err != nil {
		return err
	}
	u.split = cmp.Or(u.split, source.PartAll)
	s, err := u.open(a, cmd, args)
	if err != nil {
		return err
	}
	if u.top < 1 {
		return usage(fmt.Errorf("--top is %d, expected 1 or more", u.top))
	}
	if u.method == explain.Shapley || u.method == "" && explain.ExplainsEdges(s) && len(u.graphs) <= 1 {
		return u.runEdges(a, cmd, s)
	}
	if u.method == explain.ByColumns {
		return u.runColumns(a, cmd, s)
	}
	if u.method == "" {
		if u.method = explain.Occlusion; !explain.Explains(s) {
			u.method = explain.Recorded
		}
	}
	records, err := u.records(cmd, s)
	if err != nil {
		return failure(err)
	}
	u.remark(a, s)
	var drawing report.Drawing
	if u.format().drawn {
		if u.width < leastPicture || u.width > mostPicture {
			return usage(fmt.Errorf("--width is %d, expected %d to %d", u.width, leastPicture, mostPicture))
		}
		if len(records) > 0 && records[0].Explanation != nil {
			drawing = picture.AllScores(records, a.toolkit(), float64(u.width))
		} else if drawing, err = picture.AllRecords(records, u.colour, a.toolkit(), float64(u.width)); err != nil {
			return failure(err)
		}
	}
	d := picture.Document(records, s.Settings.ModelName, picture.Kept{Layer: picture.AllLayers, By: u.colour}, a.toolkit())
	return u.write(a, d, drawing, "graphs", len(records))
}

// format is the format of --out.
func (u *explainFlags) format() recordFormat {
	return recordFormats[strings.ToLower(filepath.Ext(u.to))]
}

// write prints the document of so many explanations, or writes it or their drawing to --out.
func (u *explainFlags) write(a *app, d *report.Document, drawing report.Drawing, of string, number int) error {
	if u.to == "" {
		return a.emit(d.Value, func(w io.Writer) error {
			return writeLines(w, strings.Split(strings.TrimSuffix(d.Text(), "\n"), "\n")...)
		})
	}
	text, err := u.format().render(d, drawing)
	if err != nil {
		return failure(err)
	}
	if err := atomicfile.WriteBytes(u.to, text); err != nil {
		return output(err)
	}
	return a.emitFiles(map[string]any{"out": u.to, of: number}, func(w io.Writer) error {
		return writeLines(w, "written: "+u.to)
	})
}

// runColumns divides predictions among columns.
func (u *explainFlags) runColumns(a *app, cmd *cobra.Command, s *session.Session) error {
	switch {
	case u.format().picture:
		return usage(fmt.Errorf("--out is %s, and --method columns writes .html, .json or a table on standard output", u.to))
	case len(u.graphs) > 1:
		return usage(fmt.Errorf("--graph names %d graphs, expected the one whose edges are explained", len(u.graphs)))
	}
	records, err := explain.Columns(s, cmd.Context(), u.split, u.target, strings.Join(u.graphs, ""), append(u.node, u.edge...)...)
	if err != nil {
		return failure(err)
	}
	u.remark(a, s)
	d := picture.ColumnDocument(records, s.Settings.ModelName, u.top)
	if s.Settings.Target.Temperature != 0 {
		d.Remarks = append(d.Remarks, "Probabilities are those before the calibration of the run.")
	}
	return u.write(a, d, nil, "edges", len(records))
}

// records explains predictions, or records the results of pools.
func (u *explainFlags) records(cmd *cobra.Command, s *session.Session) ([]explain.GraphRecord, error) {
	for _, of := range []struct {
		flag  string
		items settings.Level
		names []string
	}{{"node", settings.Nodes, u.node}, {"edge", settings.Edges, u.edge}} {
		switch {
		case of.names == nil:
		case u.method == explain.Recorded:
			return nil, settings.Misuse("--%s does not apply to --method %s, which shows whole graphs", of.flag, explain.Recorded)
		case explain.Predicts(s) != of.items:
			return nil, settings.Misuse("--%s does not apply: the run predicts for each %s", of.flag, explain.Predicts(s))
		}
	}
	switch {
	case u.method == explain.Recorded:
		return explain.Record(s, cmd.Context(), u.split, u.graphs...)
	case explain.Predicts(s) == settings.Graphs:
		return explain.Graphs(s, cmd.Context(), u.split, u.method, u.target, u.graphs...)
	case len(u.graphs) > 1:
		return nil, settings.Misuse("--graph names %d graphs, expected the one whose %s is explained", len(u.graphs), explain.Predicts(s))
	}
	return explain.Items(s, cmd.Context(), u.split, u.method, u.target, strings.Join(u.graphs, ""), append(u.node, u.edge...)...)
}

// recordFormat is a file format of records.
type recordFormat struct {
	drawn   bool // it contains a picture
	picture bool // it is only a picture
	render  func(d *report.Document, drawing report.Drawing) ([]byte, error)
}

// recordFormats are the formats by file extension.
var recordFormats = map[string]recordFormat{
	".svg": {true, true, func(_ *report.Document, drawing report.Drawing) ([]byte, error) { return drawing.SVG() }},
	".png": {true, true, func(_ *report.Document, drawing report.Drawing) ([]byte, error) { return drawing.PNG() }},
	".html": {true, false, func(d *report.Document, _ report.Drawing) ([]byte, error) {
		var b bytes.Buffer
		err := d.WriteHTML(&b)
		return b.Bytes(), err
	}},
	".json": {false, false, func(d *report.Document, _ report.Drawing) ([]byte, error) {
		text, err := json.MarshalIndent(d.Value, "", "  ")
		return append(text, '\n'), err
	}},
}
