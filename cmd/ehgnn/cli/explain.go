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
		Short: "Show what a prediction depends on, or what a run kept, dropped or clustered",
		Long: `Show what a prediction depends on, or what a trained run did with the edges of a graph.

A prediction for an edge of a table is a sum (method shapley): a base, what each of the edge's own
columns contributes, and what other edges contribute, of which the picture shows those that
matter most. An edge counts by what the model gives where the edge is missing. It comes with a test: the
score with these edges alone, without them, and with as many at random of the same ends.

Other methods: occlusion takes the edges away one by one and scores each by how much the value
of the target falls: by how much the logit of the class is above that of the next, the
logit of a label, or the number. gradient is the gradient of that value by the features of
the edge, times these, or by its weight where the model reads no features of edges: one pass.
mask learns a weight for each edge that keeps the prediction with little weight (GNNExplainer),
from five starts. random is there to compare with. All come with their fidelity: what becomes of
the prediction without the edges of the highest scores, and with these alone, beside as many
edges at random.

The method columns divides a prediction of the default model for an edge among all columns that
the model reads of it: trees by exact Shapley values, networks by integrated gradients.

Predictions for the nodes or edges of a graph are explained one by one: --node and --edge
name them as predictions do, an edge by its number or as SOURCE:TARGET. Scores are those of the
edges that the model can see from there, of more than 2,000 of the nearest, of fewer where the
graph is large; the picture has those of the highest scores, and the way from each. Columns that say what the graph around an edge is
stay as they are when another edge is taken away; labels that the model reads for the prediction
are those that it read.

The method record says which edges each layer of HyperDrop kept and dropped, by which
score, and into which cluster HyperCluster put each. It is no explanation by itself: a
model may drop an edge after it has read it. It is the default where the model reconstructs
its data.

Molecules of tables of SMILES, of MUTAG and of ZINC are drawn by RDKit in the chemistry build;
other graphs as a column of nodes with arcs, large ones as one node with its edges.`,
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
	f.StringSliceVar(&u.graphs, "graph", nil, "graphs as predictions name them, by commas or repeated (default: the first)")
	f.StringSliceVar(&u.node, "node", nil, "nodes as predictions name them, where the run predicts for nodes (default: the first)")
	f.StringSliceVar(&u.edge, "edge", nil, "edges by their numbers in predictions, by the id that the table gives them or as SOURCE:TARGET, where the run predicts for edges (default: the first)")
	f.StringVar(&u.method, "method", "", strings.Join(methods, ", ")+" (default: shapley for the edges of a table, else occlusion, or record where the model reconstructs its data)")
	f.StringVar(&u.target, "target", "", "the class, label or number whose prediction is explained (default: the predicted class, or the first label or number)")
	f.IntVar(&u.top, "top", 15, "edges that are listed and drawn, or columns with --method columns; where it is not given, fewer edges than that if the others add little")
	f.StringVar(&u.colour, "colour", picture.ByScore, "what colours kept edges: score, or component of the graph that is left, as in the paper")
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
	return a.told(map[string]any{"out": u.to, of: number}, func(w io.Writer) error {
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
