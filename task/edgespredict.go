package task

import (
	"context"
	"slices"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/report"
	"github.com/ehgnn/ehgnn/train"
)

// forward runs the model over the input of a part.
func (s *EdgeSession) forward(ctx context.Context, part string, f func(in *tables.Input, out *model.Output) error) error {
	in, err := s.part(part)
	if err != nil {
		return err
	}
	return train.ForEachBatch(ctx, []*graph.Graph{in.Graph}, s.config(), func(p *nn.Pass, _ int, b *graph.Batch) error {
		return f(in, s.Model.Forward(p, b))
	})
}

// Predict returns a row per edge of a part: its number among the edges, the ids of its
// ends, the label where there is one, and the predicted class with the probability
// of each, or the predicted number.
func (s *EdgeSession) Predict(ctx context.Context, part string) (t *report.Table, err error) {
	err = s.forward(ctx, part, func(in *tables.Input, out *model.Output) error {
		if s.Settings.Task == EdgeClassification {
			out.Edge = out.Edge.Softmax()
		}
		t = s.predictions(in, scoredRows(in, out.Edge.Data(), s.Settings.Model.Out))
		return nil
	})
	return t, err
}

// Embed returns the learned vectors of a part at a level: edge, with a row per edge of
// the part as Predict has them, or node, with a row per node that the model sees for
// the part, which only a model that updates nodes learns.
func (s *EdgeSession) Embed(ctx context.Context, part, level string) (t *report.Table, err error) {
	err = s.forward(ctx, part, func(in *tables.Input, out *model.Output) error {
		switch {
		case level == "edge" && out.EdgeVecs != nil:
			rows, width := lastVectors(out.EdgeVecs, len(in.Edges))
			t = &report.Table{Columns: append(s.ends(in), report.Vectors("vector", scoredRows(in, rows, width), width))}
		case level == "node" && out.NodeVec != nil:
			ids := make([]string, len(in.Nodes))
			for i, v := range in.Nodes {
				ids[i] = s.Set.NodeIDs[v]
			}
			t = &report.Table{Columns: []report.Column{report.Strings("node", ids), report.Vectors("vector", slices.Clone(out.NodeVec.Data()), out.NodeVec.Dim(1))}}
		default:
			return misuse("task: model %s learns no vectors of %ss; it learns those of edges (level edge)", s.Settings.ModelName, level)
		}
		return nil
	})
	return t, err
}

// scoredRows keeps, of rows of width k per edge, those of the scored edges.
func scoredRows(in *tables.Input, rows []float32, k int) []float32 {
	out := make([]float32, 0, len(in.Scored)*k)
	for _, e := range in.Scored {
		out = append(out, rows[int(e)*k:][:k]...)
	}
	return out
}

// ends are the columns that say which edge a row is of.
func (s *EdgeSession) ends(in *tables.Input) []report.Column {
	n := len(in.Scored)
	edge, from, to := make([]int, n), make([]string, n), make([]string, n)
	for i, e := range in.Scored {
		edge[i] = int(in.Edges[e])
		from[i], to[i] = s.Set.NodeIDs[s.Set.Ends[2*edge[i]]], s.Set.NodeIDs[s.Set.Ends[2*edge[i]+1]]
	}
	return []report.Column{report.Ints("edge", edge), report.Strings("source", from), report.Strings("target", to)}
}

// predictions is the table of Predict, from the output per scored edge.
func (s *EdgeSession) predictions(in *tables.Input, rows []float32) *report.Table {
	n := len(in.Scored)
	columns := s.ends(in)
	if s.Settings.Task == EdgeRegression {
		want := make([]float32, n)
		for i, e := range in.Scored {
			want[i] = in.Graph.EdgeTargets[e]
		}
		return &report.Table{Columns: append(columns, report.Floats("label", want), report.Floats("prediction", s.restore(rows)))}
	}
	classes := s.Settings.Encoder.Classes
	label, prediction := make([]string, n), make([]string, n)
	probability := make([][]float32, len(classes))
	for i, c := range s.predicted(rows) {
		label[i], prediction[i] = className(classes, in.Graph.EdgeLabel[in.Scored[i]]), classes[c]
		for k := range probability {
			probability[k] = append(probability[k], rows[i*len(classes)+k])
		}
	}
	columns = append(columns, report.Strings("label", label), report.Strings("prediction", prediction))
	for k, p := range probability {
		columns = append(columns, report.Floats("probability_"+classes[k], p))
	}
	return &report.Table{Columns: columns}
}

// restore puts numbers into the unit of the data.
func (s *EdgeSession) restore(rows []float32) []float32 {
	out := make([]float32, len(rows))
	for i, v := range rows {
		out[i] = float32(float64(v)*s.Settings.Encoder.Scale + s.Settings.Encoder.Mean)
	}
	return out
}

// predicted is the class of each row of probabilities: by the threshold of two
// classes, else the most probable.
func (s *EdgeSession) predicted(rows []float32) []int32 {
	k := s.Settings.Model.Out
	out := make([]int32, len(rows)/k)
	for i := range out {
		row := rows[i*k:][:k]
		if pos := s.Settings.Positive; pos >= 0 {
			if out[i] = int32(1 - pos); float64(row[pos]) >= s.Settings.Threshold {
				out[i] = int32(pos)
			}
			continue
		}
		for c, v := range row {
			if v > row[out[i]] {
				out[i] = int32(c)
			}
		}
	}
	return out
}
