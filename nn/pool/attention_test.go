package pool_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

// samplesWithEdges is a batch of graphs of several sizes, some without edges.
func samplesWithEdges(width int) []*graph.Graph {
	r := rng.Stream(3, "samples")
	return []*graph.Graph{multigraph(r, 2, 0, width, false), multigraph(r, 5, 7, width, false), multigraph(r, 2, 1, width, false),
		{Node: graph.Ones(0), Edge: graph.Features{Dim: width}}, multigraph(r, 6, 11, width, false)}
}

func configs() map[string]pool.MABConfig {
	out := map[string]pool.MABConfig{}
	for name, build := range keys {
		if name == "GCN" {
			continue // needs node features, the dual has no pairs
		}
		out[name+" nodes"] = pool.MABConfig{Heads: 2, Keys: build}
		out[name+" cluster"] = pool.MABConfig{Heads: 2, Keys: build, Cluster: true, LayerNorm: true}
		out[name+" cluster, one head"] = pool.MABConfig{Keys: build, Cluster: true}
	}
	return out
}

// Nothing is padded: a sample has the same vectors and assignment in a batch as
// alone. (The reference differs with Linear keys and the cluster softmax; that
// is what ReferencePadding is for.)
func TestGMPoolBatchIndependence(t *testing.T) {
	gs := samplesWithEdges(4)
	v := must(graph.Collate(gs)).View.Dual()
	for name, c := range configs() {
		layer := must(pool.NewGMPool(nn.NewInit(1), pool.GMPoolDims{Dim: 4, Seeds: 3}, c))
		y, a := layer.Forward(pass(t, true), v)
		back := pool.Unpool(y, a, v.VertexOf)
		at := 0
		for s, g := range gs {
			own := must(graph.Collate([]*graph.Graph{g})).View.Dual()
			z, b := layer.Forward(pass(t, true), own)
			near(t, name+": pooled", y.Data()[s*12:(s+1)*12], z.Data(), 1e-5)
			for h := range a {
				near(t, name+": attention", a[h].Data()[3*at:3*(at+g.NumEdges())], b[h].Data(), 1e-5)
			}
			near(t, name+": unpooled", back.Data()[4*at:4*(at+g.NumEdges())], pool.Unpool(z, b, own.VertexOf).Data(), 1e-5)
			at += g.NumEdges()
		}
		if !slices.Equal(y.Shape(), []int{5, 3, 4}) || !slices.Equal(back.Shape(), []int{19, 4}) || len(a) != max(c.Heads, 1) {
			t.Errorf("%s: shapes %v and %v, %d heads", name, y.Shape(), back.Shape(), len(a))
		}
	}
	linear := must(pool.NewGMPool(nn.NewInit(1), pool.GMPoolDims{Dim: 4, Seeds: 3}, pool.MABConfig{Cluster: true}))
	leaky := must(pool.NewGMPool(nn.NewInit(1), pool.GMPoolDims{Dim: 4, Seeds: 3}, pool.MABConfig{Cluster: true, ReferencePadding: true}))
	y, _ := linear.Forward(pass(t, false), v)
	z, _ := leaky.Forward(pass(t, false), v)
	if slices.Equal(y.Data(), z.Data()) {
		t.Error("ReferencePadding changes nothing")
	}
	near(t, "the largest sample is not padded", z.Data()[48:], y.Data()[48:], 0)
	hyper := must(pool.NewHyperCluster(nn.NewInit(1), pool.GMPoolDims{Dim: 4, Seeds: 3}, pool.MABConfig{Cluster: true}))
	padded := must(pool.NewHyperCluster(nn.NewInit(1), pool.GMPoolDims{Dim: 4, Seeds: 3}, pool.MABConfig{Cluster: true, ReferencePadding: true}))
	y, _ = hyper.Forward(pass(t, false), v)
	z, _ = padded.Forward(pass(t, false), v)
	near(t, "hypergraph keys of padded vertices are 0", z.Data(), y.Data(), 0)
}

// Every vertex spreads itself over the queries in the cluster form, every query
// over the vertices of its sample otherwise; a lone seed takes all.
func TestAttentionSums(t *testing.T) {
	v := must(graph.Collate(samplesWithEdges(4))).View.Dual()
	for name, c := range configs() {
		_, a := must(pool.NewGMPool(nn.NewInit(2), pool.GMPoolDims{Dim: 4, Seeds: 3}, c)).Forward(pass(t, true), v)
		for _, w := range a {
			if c.Cluster {
				for _, s := range w.SumAxis(1).Data() {
					if math.Abs(float64(s)-1) > 1e-6 {
						t.Errorf("%s: an assignment sums to %v", name, s)
					}
				}
				continue
			}
			sums := tensor.SegmentSum(w, v.VertexOf).Data()
			for i, n := range v.VertexOf.Counts() {
				for _, s := range sums[3*i : 3*i+3] {
					if math.Abs(float64(s)-float64(min(n, 1))) > 1e-6 {
						t.Errorf("%s: attention over %d vertices sums to %v", name, n, s)
					}
				}
			}
		}
		if c.Cluster {
			_, one := must(pool.NewGMPool(nn.NewInit(2), pool.GMPoolDims{Dim: 4, Seeds: 1}, c)).Forward(pass(t, true), v)
			for _, x := range one[0].Data() {
				if x != 1 {
					t.Errorf("%s: one seed gets a share of %v", name, x)
				}
			}
		}
	}
}

// Unpool is x_i = Σ_j A_ij·P_j with the part of P that belongs to the head.
func TestUnpool(t *testing.T) {
	r := rng.Stream(4, "unpool")
	of := tensor.MustIndex([]int32{0, 0, 2}, 3)
	pooled := random(r, 3, 2, 4)
	for _, heads := range []int{1, 2, 4} {
		var a pool.Attention
		for range heads {
			a = append(a, random(r, 3, 2))
		}
		want := make([]float32, 12)
		for i, g := range of.IDs() {
			for d := range 4 {
				for j := range 2 {
					want[4*i+d] += a[d*heads/4].Data()[2*i+j] * pooled.Data()[(int(g)*2+j)*4+d]
				}
			}
		}
		near(t, "unpooled", pool.Unpool(pooled, a, of).Data(), want, 1e-6)
	}
}

func TestMABConstruction(t *testing.T) {
	var names []string
	for _, p := range must(pool.NewHyperCluster(nn.NewInit(1).In("pool"), pool.GMPoolDims{Dim: 4, Seeds: 2}, pool.MABConfig{LayerNorm: true})).Params() {
		names = append(names, p.Name)
	}
	want := []string{"pool.S", "pool.mab.fc_q.weight", "pool.mab.fc_q.bias", "pool.mab.fc_k.weight", "pool.mab.fc_k.bias",
		"pool.mab.fc_v.weight", "pool.mab.fc_v.bias", "pool.mab.ln0.weight", "pool.mab.ln0.bias", "pool.mab.ln1.weight",
		"pool.mab.ln1.bias", "pool.mab.fc_o.weight", "pool.mab.fc_o.bias"}
	if !slices.Equal(names, want) {
		t.Errorf("parameters %q, want %q", names, want)
	}
}

func TestAttentionErrors(t *testing.T) {
	in := nn.NewInit(1)
	fails := pool.MABConfig{Keys: func(nn.Init, nn.ConvDims) (nn.Conv, error) { return nil, errors.New("no keys") }}
	for want, build := range map[string]func() (any, error){
		"pool: MAB: the width is 4, expected a multiple of the 3 heads": func() (any, error) {
			return pool.NewMAB(in, pool.MABDims{Query: 4, Key: 4, Out: 4}, pool.MABConfig{Heads: 3})
		},
		"pool: MAB: the width is 4, expected a multiple of the -1 heads": func() (any, error) {
			return pool.NewSAB(in, nn.Dims{In: 4, Out: 4}, pool.MABConfig{Heads: -1})
		},
		"pool: GMPool: 0 seeds, expected at least 1": func() (any, error) {
			return pool.NewHyperCluster(in, pool.GMPoolDims{Dim: 4}, pool.MABConfig{})
		},
		"no keys": func() (any, error) { return pool.NewGMPool(in, pool.GMPoolDims{Dim: 4, Seeds: 1}, fails) },
	} {
		if _, err := build(); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// The order of a sample's vertices plays no part in what it is pooled to.
func TestGMPoolInvariance(t *testing.T) {
	r := rng.Stream(5, "invariance")
	for name, c := range configs() {
		g := multigraph(r, 5, 8, 4, false)
		perm := r.Perm(8)
		h := *g
		h.Ends, h.Edge.Dense = make([]int32, 16), make([]float32, 32)
		for e, to := range perm {
			copy(h.Ends[2*to:2*to+2], g.Ends[2*e:])
			copy(h.Edge.Dense[4*to:4*to+4], g.Edge.Dense[4*e:])
		}
		layer := must(pool.NewGMPool(nn.NewInit(3), pool.GMPoolDims{Dim: 4, Seeds: 3}, c))
		a, _ := layer.Forward(pass(t, true), must(graph.Collate([]*graph.Graph{g})).View.Dual())
		b, _ := layer.Forward(pass(t, true), must(graph.Collate([]*graph.Graph{&h})).View.Dual())
		near(t, name, b.Data(), a.Data(), 1e-5)
	}
}
