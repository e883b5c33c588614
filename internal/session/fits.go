package session

import (
	"fmt"
	"time"

	"github.com/ehgnn/ehgnn/internal/memory"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/model"
)

// longStep is the work of a step from which a remark is made.
const longStep = 30 * time.Second

// demand is the load of the largest batch of a part: the load of its costliest graph, or the
// batch's share of all graphs if this is more.
type demand struct {
	model.Load
	graph        int // number of the costliest graph
	nodes, edges int
	size         int // graphs in a batch
}

func (s *Session) demand(p *source.Part, training bool) demand {
	var d demand
	if p == nil || len(p.Graphs) == 0 {
		return d
	}
	var sum, most model.Load
	load := s.Spec.Loads(s.Settings.Model, training)
	for i, g := range p.Graphs {
		l := load(model.SizeOf(g))
		if sum = sum.Add(l); i == 0 || l.Memory+l.Least > most.Memory+most.Least || l.Seconds > most.Seconds {
			most, d.graph, d.nodes, d.edges = l, i, g.NumNodes, g.NumEdges()
		}
	}
	if d.size = s.Settings.Train.BatchSize; d.size <= 0 || d.size > len(p.Graphs) {
		d.size = len(p.Graphs)
	}
	share := float64(d.size) / float64(len(p.Graphs))
	d.Load = model.Load{Least: max(most.Least, share*sum.Least), Memory: max(most.Memory, share*sum.Memory), Seconds: most.Seconds}
	return d
}

// CheckPartMemory returns an error for a part on which the model certainly needs more memory than
// is free, or than Request.MaxMemory if it is set. The remark says that the model may need more, or
// will take long; empty for none.
func (s *Session) CheckPartMemory(p *source.Part, training bool) (remark string, err error) {
	d := s.demand(p, training)
	what := func() string {
		who := "the graph"
		if s.Settings.Collection() && p.ID != nil {
			who = fmt.Sprintf("graph %d", p.ID(source.Place{Graph: d.graph}))
		}
		text := fmt.Sprintf("%s of %s with %d nodes and %d edges", who, s.Data.Name(), d.nodes, d.edges)
		if d.size > 1 {
			text = fmt.Sprintf("a batch of %d graphs, the largest of them %s", d.size, text)
		}
		return text
	}
	if max(d.Least, d.Memory) > source.LargeLoad {
		limit := s.maxMemory
		if limit == 0 {
			limit = memory.Free()
		}
		help := "another model, a smaller --batch-size or smaller settings take less; --max-memory sets the bound"
		switch free := float64(limit); {
		case limit == 0: // unknown
		case d.Least > free:
			return "", settings.Misuse("model %s needs %s or more for %s; %s are free; %s",
				s.Settings.ModelName, memory.Text(d.Least), what(), memory.Text(limit), help)
		case d.Memory > free:
			remark = fmt.Sprintf("model %s takes about %s for %s; %s are free; %s",
				s.Settings.ModelName, memory.Text(d.Memory), what(), memory.Text(limit), help)
		}
	}
	if took := time.Duration(d.Seconds * float64(time.Second)); took > longStep && remark == "" {
		remark = fmt.Sprintf("model %s takes about %v, once, to prepare %s", s.Settings.ModelName, took.Round(time.Second), what())
	}
	return remark, nil
}

// CheckMemory returns an error if a training, or the use of a named part, certainly does not fit
// into memory; Train, Evaluate, Predict and Embed also check this. The remark says that it may not
// fit or will take long; empty for none.
func (s *Session) CheckMemory(part string) (remark string, err error) {
	if part != "" {
		p, err := s.Part(part)
		if err != nil {
			return "", err
		}
		return s.CheckPartMemory(p, false)
	}
	if remark, err = s.CheckPartMemory(s.Parts[source.PartTrain], true); err != nil {
		return "", err
	}
	for _, name := range []string{source.PartValid, source.PartTest} {
		more, err := s.CheckPartMemory(s.Parts[name], false)
		if err != nil {
			return "", err
		}
		if remark == "" {
			remark = more
		}
	}
	return remark, nil
}
