package model

import (
	"fmt"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// Ensemble is several models whose predictions are averaged (Lakshminarayanan, Pritzel and
// Blundell, NeurIPS 2017), before softmax or sigmoid. It is used like any other model. A task
// trains each member with a loss of its own.
//
// Spec.New builds one of any registered model with Config.Members. Members differ only in their
// initial weights; the first is the model without that setting. A registered model may also be a
// committee: it has different models, each with its own config in Config.Parts. The parameters of
// member K have the prefix members.K.
type Ensemble struct{ Members []Model }

// memberSeed is the difference between the seeds of two members. It is large, so that ensembles
// with consecutive seeds share no members.
const memberSeed = 0x9E3779B97F4A7C15

// newEnsemble builds Config.Members models of each spec, or one. The specs belong to the parts of
// the config. root gives their parameters.
func newEnsemble(specs []Spec, c Config, root func(seed uint64) nn.Init) (*Ensemble, error) {
	m := &Ensemble{}
	n := max(c.Members, 1)
	for range n {
		for k, s := range specs {
			one, err := s.assemble(Config{Dims: c.Dims, Seed: c.Seed, Encode: c.Encode, Context: c.Context, Parts: c.Parts[k : k+1]}, root)
			if err != nil {
				return nil, err
			}
			for _, p := range one.Params() {
				p.Name = fmt.Sprintf("members.%d.%s", len(m.Members), p.Name)
			}
			m.Members = append(m.Members, one)
		}
		c.Seed += memberSeed
	}
	return m, nil
}

// Params lists the parameters of all members.
func (m *Ensemble) Params() []*tensor.Param {
	return nn.Each(m.Members).Params()
}

// Forward averages the predictions and auxiliary losses of the members. Output.Members keeps the
// outputs of the members. Learned vectors, drops, clusters and attention are those of the first
// member, because those of different members cannot be compared.
func (m *Ensemble) Forward(p *nn.Pass, b *graph.Batch) *Output {
	first := m.Members[0].Forward(p, b)
	out := *first
	out.Members = []*Output{first}
	means := []**tensor.Tensor{&out.Graph, &out.Node, &out.Edge, &out.Aux}
	for _, one := range m.Members[1:] {
		o := one.Forward(p, b)
		out.Members = append(out.Members, o)
		for i, x := range []*tensor.Tensor{o.Graph, o.Node, o.Edge, o.Aux} {
			if x != nil {
				*means[i] = (*means[i]).Add(x)
			}
		}
	}
	for _, sum := range means {
		if *sum != nil {
			*sum = (*sum).MulScalar(1 / float32(len(m.Members)))
		}
	}
	return &out
}
