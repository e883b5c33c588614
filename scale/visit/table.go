package visit

import (
	"fmt"
	"io"

	"github.com/ehgnn/ehgnn/data/parquet"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/task"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/scale/store"
	"github.com/ehgnn/ehgnn/tensor"
)

// What a job writes: predictions or vectors for the edges of a block, or vectors for the nodes of a
// part.
const (
	Predictions = "predictions"
	EdgeVectors = "edge-vectors"
	NodeVectors = "node-vectors"
)

// OutputName returns the name of the file of a block or, for vectors of nodes, of a part.
func OutputName(i int) string { return fmt.Sprintf("part-%06d.parquet", i) }

// splitNames are the names of the parts of a split in tables.
var splitNames = []string{store.InTrain: source.PartTrain, store.InValid: source.PartValid, store.InTest: source.PartTest, store.InNone: ""}

// WritePredictions writes the predictions of a run for the edges of a block as Parquet, with the
// columns of ehgnn's predictions: the number of the edge, the ids of its ends, its part if the
// store has a split, its label, and the prediction with its columns. If the tables named edges, it
// also writes the name of the edge.
func WritePredictions(w io.Writer, r *session.Run, b *store.Block, names store.Names, res *Result) error {
	t, err := task.FindTask(r.Settings.Task)
	if err != nil {
		return err
	}
	m := b.NumEdges()
	batch := &graph.Batch{N: 1, EdgeLabels: b.Class}
	if b.Number != nil {
		batch.EdgeTargets = tensor.FromSlice(b.Number, m, 1)
	}
	predict, rows := t.Predict(&r.Settings), make([]int32, m)
	for e := range rows {
		rows[e] = int32(e)
	}
	predict.Add(&model.Output{Edge: tensor.FromSlice(res.Output, m, len(res.Output)/m)}, batch, rows)
	return write(w, append(append(edgeColumns(b, names), partColumn(b)...), predict.Columns()...))
}

// WriteVectors writes the vectors of the edges of a block as Parquet, with the number of the edge
// and the names of its ends.
func WriteVectors(w io.Writer, b *store.Block, names store.Names, res *Result) error {
	return write(w, append(edgeColumns(b, names), report.Vectors("vector", res.Vector, len(res.Vector)/b.NumEdges())))
}

// WriteNodes writes the vectors of the nodes of a part as Parquet. rows are the nodes' rows of the
// last turn, each of which begins with the vector.
func WriteNodes(w io.Writer, p *store.Part, rows []float32, vector int) error {
	if width := len(rows) / max(len(p.IDs), 1); width > vector {
		cut := make([]float32, 0, len(p.IDs)*vector)
		for i := range p.IDs {
			cut = append(cut, rows[i*width:][:vector]...)
		}
		rows = cut
	}
	return write(w, []report.Column{report.Strings("node", p.IDs), report.Vectors("vector", rows, vector)})
}

// edgeColumns returns the columns that identify the edge of a row.
func edgeColumns(b *store.Block, names store.Names) []report.Column {
	m := b.NumEdges()
	number, from, to := make([]int64, m), make([]string, m), make([]string, m)
	for e := range m {
		number[e], from[e], to[e] = b.First+int64(e), names.Nodes[b.Ends[2*e]], names.Nodes[b.Ends[2*e+1]]
	}
	out := []report.Column{report.Ints("edge", number), report.Strings("source", from), report.Strings("target", to)}
	if names.Edges != nil {
		out = append(out, report.Strings("edge_id", names.Edges))
	}
	return out
}

// partColumn returns the column with the part of the split of each edge, if there is a split.
func partColumn(b *store.Block) []report.Column {
	if b.Part == nil {
		return nil
	}
	part := make([]string, b.NumEdges())
	for e, p := range b.Part {
		part[e] = splitNames[p]
	}
	return []report.Column{report.Strings("part", part)}
}

func write(w io.Writer, columns []report.Column) error {
	if err := parquet.Write(w, &report.Table{Columns: columns}); err != nil {
		return fmt.Errorf("visit: %w", err)
	}
	return nil
}
