package session

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"time"

	"github.com/ehgnn/ehgnn/data/schema"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/auto"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/train"
)

// autoConfig returns the config of model.Auto; nil for other models.
func (s *Session) autoConfig() *model.AutoConfig { return s.Settings.Model.Auto() }

// describeColumns tells model.Auto what the columns of edges are, given the encoder of the tables.
func (s *Session) describeColumns() {
	c := s.autoConfig()
	if c == nil {
		return
	}
	e := s.Settings.Data.Tables.Encoder
	if c.Number = s.Task.Number; len(e.Nodes) > 0 {
		c.NodeColumns = s.Settings.Model.Node
	}
	c.Columns = model.FamilySpans(edgeFamilies(e))
	if !c.Number && s.Settings.Model.Out > mostLabelClasses {
		c.LabelClasses = frequent(s.Parts[source.PartTrain].Graphs[0].EdgeLabel, s.Settings.Model.Out, mostLabelClasses)
	}
}

// mostLabelClasses is how many classes, the most frequent ones, have columns of known labels.
const mostLabelClasses = 64

// frequent returns the most frequent classes in ascending order.
func frequent(label []int32, classes, most int) []int32 {
	count, out := make([]int, classes), make([]int32, classes)
	for _, c := range label {
		if c >= 0 {
			count[c]++
		}
	}
	for c := range out {
		out[c] = int32(c)
	}
	slices.SortStableFunc(out, func(a, b int32) int { return count[b] - count[a] })
	out = out[:min(most, classes)]
	slices.Sort(out)
	return out
}

// edgeFamilies returns the family of each edge feature: own numbers, structure, times and categories.
func edgeFamilies(e *tables.Encoder) []string {
	var own graph.Features // edges without features have a constant one, which the others replace
	if len(e.Edges) > 0 {
		own = schema.Layout(e.Edges)
	}
	out := slices.Repeat([]string{model.FamilyOwn}, own.Dim)
	out = append(out, slices.Repeat([]string{model.FamilyStructure}, len(e.Structure))...)
	if e.Times != nil {
		for _, f := range e.Times.Fields {
			out = append(out, tables.TimeFamily(f.Name))
		}
	}
	return append(out, slices.Repeat([]string{model.FamilyOwn}, own.NumCodes())...)
}

// fitAuto trains model.Auto. Learners trained so far are kept in the folder of the run, if there is one.
func (s *Session) fitAuto(ctx context.Context, dir string, onEntry func(auto.Entry)) (*train.Result, error) {
	if p := s.Parts[source.PartValid]; p == nil || s.labelled(p) == 0 {
		return nil, settings.Misuse("model %s chooses by validation, and %s has no validation part with a label", model.AutoName, s.Data.Name())
	}
	if res, ok := s.finishedAuto(dir); ok {
		return res, nil
	}
	start := time.Now()
	r, err := s.autoRequest()
	if err != nil {
		return nil, err
	}
	r.OnEntry = onEntry
	r.ValidLabels = s.keptLabels
	if dir != "" {
		if r.Kept, err = openKept(filepath.Join(dir, keptFolder), s.Settings.Identity()); err != nil {
			return nil, err
		}
	}
	got, err := auto.Fit(ctx, r)
	if err != nil {
		if ctx.Err() != nil {
			return &train.Result{Stopped: train.StoppedCancelled, Seconds: time.Since(start).Seconds()}, err
		}
		return nil, err
	}
	s.leaderboard = got.Leaderboard
	if err := s.useLearners(got.Learners, got.Arrays); err != nil {
		return nil, err
	}
	res := &train.Result{Stopped: train.StoppedPatience, Seconds: time.Since(start).Seconds()}
	least := math.Inf(1)
	for i, p := range got.Curve {
		e := train.EpochInfo{Epoch: i + 1, Step: p.Step, TrainLoss: math.NaN(), Valid: train.Scores{{Name: "loss", Value: p.Valid}}, Seconds: res.Seconds}
		if p.Train != nil {
			e.TrainLoss = *p.Train
		}
		if e.Improved = p.Valid < least; e.Improved {
			least, res.BestEpoch = p.Valid, e.Epoch
		}
		res.History = append(res.History, e)
	}
	s.curve = res.History
	return res, nil
}

// useLearners makes the model from learners, whose arrays are given by name.
func (s *Session) useLearners(learners []model.Learner, arrays []map[string][]float32) (err error) {
	s.autoConfig().Learners = learners
	if s.Model, err = s.Spec.New(s.Settings.Model); err != nil {
		return err
	}
	m := s.Model.(*model.Auto)
	m.KeepLabels(s.keptLabels)
	return m.Fill(arrays)
}

// autoRequest is the input from which internal/auto makes columns and learners.
func (s *Session) autoRequest() (auto.Request, error) {
	m := s.Model.(*model.Auto)
	r := auto.Request{Layout: m.Layout(), Out: s.Settings.Model.Out, Number: s.Task.Number, Loss: auto.LossAbsolute, Quality: m.Config.Quality, Coverage: s.Settings.Target.Coverage, Seed: s.Settings.Model.Seed, Threads: s.Threads}
	if s.Settings.Train.Monitor.Metric == "rmse" {
		r.Loss = auto.LossSquared
	}
	if s.Task.Number {
		r.Mean, r.Scale = s.Settings.Target.Units[0].Mean, s.Settings.Target.Units[0].Scale
	}
	var err error
	if r.Train, err = graph.CollateCodes(s.Graphs(source.PartTrain)[0]); err != nil {
		return r, err
	}
	if r.Valid, err = graph.CollateCodes(s.Graphs(source.PartValid)[0]); err != nil {
		return r, err
	}
	s.describeTimes(&r)
	return r, nil
}

// finishedAuto returns the result of a finished training in a folder, and uses its learners.
func (s *Session) finishedAuto(dir string) (*train.Result, bool) {
	r, result, ok := s.finished(dir)
	if !ok {
		return nil, false
	}
	history, err := train.ReadHistory(dir)
	if err != nil {
		return nil, false
	}
	s.Model, s.Settings.Model, s.leaderboard, s.curve = r.Model, r.Settings.Model, result.Leaderboard, history
	return &train.Result{Stopped: train.StoppedPatience, Seconds: result.Seconds, BestEpoch: result.BestEpoch, History: history}, true
}

// finished returns a finished run with the same settings in a folder, and its result.
func (s *Session) finished(dir string) (*Run, *TrainResult, bool) {
	if dir == "" {
		return nil, nil, false
	}
	e, err := ReadEnvironment(dir)
	if err != nil {
		return nil, nil, false
	}
	r, err := LoadRun(dir)
	if err != nil || r.Settings.Identity() != s.Settings.Identity() {
		return nil, nil, false
	}
	return r, e.Result, true
}

// describeTimes adds the times of training edges and the graph at each moment, if validation edges are later.
func (s *Session) describeTimes(r *auto.Request) {
	c, ok := s.Data.(*source.ColumnData)
	e := s.Settings.Data.Tables.Encoder
	if !ok || !c.Past || c.Set.Time == nil {
		return
	}
	training := s.Parts[source.PartTrain]
	g := training.Graphs[0]
	for i := range g.NumEdges() {
		r.Time = append(r.Time, c.Set.Time[training.ID(source.Place{Item: i})])
	}
	if slices.ContainsFunc(r.Time, math.IsNaN) {
		r.Time = nil
	}
	if len(e.Structure) > 0 {
		r.Structure = func(known, rows []int32) (model.Block, error) { return structureAt(e, g, known, rows, s.Threads) }
	}
}

// structureAt returns the structure columns of some edges of a graph, counted from other edges.
func structureAt(e *tables.Encoder, g *graph.Graph, known, rows []int32, threads int) (model.Block, error) {
	var ends []int32
	for _, i := range slices.Concat(known, rows) {
		ends = append(ends, g.Ends[2*i], g.Ends[2*i+1])
	}
	base := lists.Range[int32](len(known))
	f, err := e.WithStructure(graph.Features{}, g.NumNodes, ends, base, threads)
	if err != nil {
		return model.Block{}, err
	}
	w := len(e.Structure)
	return model.Block{Rows: len(rows), Width: w, Data: f.Dense[len(known)*w:]}, nil
}
