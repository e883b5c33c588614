package pool_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
	"github.com/ehgnn/ehgnn/tensor"
)

func TestCaseGMTBlocks(t *testing.T) {
	for _, c := range golden.Load(t, "pooling/gmt").Cases {
		t.Run(c.Name, func(t *testing.T) {
			c.Config.Only(t, "blocks", "heads", "ln", "cluster", "score_scale")
			if s := c.Config.String("score_scale", ""); s != "1/sqrt(model width)" {
				t.Fatalf("scale %s", s)
			}
			layer := &pool.GMTPool{}
			config := pool.MABConfig{Heads: c.Config.Int("heads", 1), LayerNorm: c.Config.Bool("ln", false), Cluster: c.Config.Bool("cluster", false)}
			width := 6
			chain := gmtChain(c)
			if n := chain[len(chain)-1].Seeds; n == 1 {
				var err error
				if layer, err = pool.NewGMTPool(nn.NewInit(0), nn.Dims{In: width, Out: 4}, pool.GMTPoolConfig{Blocks: chain, MAB: config}); err != nil {
					t.Fatal(err)
				}
				layer.Last = nil // the blocks alone
			} else { // a pool to several vectors is no chain to one
				config.Keys = keys["GCN"]
				layer.Blocks = []nn.Module{must(pool.NewGMPool(nn.NewInit(0).In(0), pool.GMPoolDims{Dim: width, Seeds: n}, config))}
			}
			p := pass(t, true)
			vars := c.Bind(t, p.Tape, layer.Params())
			v := gmtView(c, vars["x"])
			out := map[string]*tensor.Tensor{}
			if len(chain) > 1 {
				y, attention := layer.Forward(p, v)
				out["out"] = y
				out["attention0"] = dense(attention[0], v.VertexOf)
				out["attention2"] = dense(attention[2], seedsOf(v.VertexOf.Slots(), chain[0].Seeds))
			} else {
				y, attention := layer.Blocks[0].(*pool.GMPool).Forward(p, v)
				out["out"], out["attention0"] = y, dense(attention, v.VertexOf)
			}
			// What padded nodes get is no attention: 0 with the softmax over nodes,
			// 1/seeds with that over seeds, whatever the parameters are.
			if c.Config.Bool("cluster", false) {
				clearPadding(c, "attention0", v.VertexOf)
			}
			golden.CheckOutputs(t, c, out, 1e-5)
			golden.CheckGrads(t, p.Tape, c, out, vars, 1e-5)
		})
	}
}

func gmtChain(c golden.Case) []pool.GMTBlock {
	var out []pool.GMTBlock
	for _, raw := range c.Config["blocks"].([]any) {
		b := golden.Config(raw.(map[string]any))
		out = append(out, pool.GMTBlock{Kind: pool.BlockKind(b.String("kind", "")), Seeds: b.Int("seeds", 0)})
	}
	return out
}

func gmtView(c golden.Case, x *tensor.Tensor) graph.View {
	batch := c.IDs("batch")
	src, dst := c.Pair("edge_index")
	var ends []int32
	for e := range src {
		ends = append(ends, src[e], dst[e])
	}
	return graph.View{X: x, H: must(graph.NewPairs(len(batch), ends, true)),
		VertexOf: tensor.MustIndex(batch, int(batch[len(batch)-1])+1)}
}

// seedsOf is the index of k vectors per sample.
func seedsOf(samples, k int) *tensor.Index {
	of := make([]int32, samples*k)
	for i := range of {
		of[i] = int32(i / k)
	}
	return tensor.MustIndex(of, samples)
}

// clearPadding sets to 0 what the case has at padded vertices.
func clearPadding(c golden.Case, name string, of *tensor.Index) {
	v := c.Outputs[name]
	counts := of.Counts()
	longest := v.Shape[2]
	for i := range v.Floats {
		sample := i / (longest * v.Shape[1]) % len(counts)
		if i%longest >= int(counts[sample]) {
			v.Floats[i] = 0
		}
	}
}

func TestGMTPoolErrors(t *testing.T) {
	type args struct {
		d nn.Dims
		c pool.GMTPoolConfig
	}
	valid := func() args {
		return args{nn.Dims{In: 6, Out: 4}, pool.GMTPoolConfig{Blocks: pool.GMTBlocks(3), MAB: pool.MABConfig{Heads: 2}}}
	}
	must(pool.NewGMTPool(nn.NewInit(0), valid().d, valid().c))
	for want, change := range map[string]func(a *args){
		"expected positive multiples of the 4 heads": func(a *args) { a.c.MAB.Heads = 4 },
		"widths 0 and 4":                                     func(a *args) { a.d.In = 0 },
		"widths 6 and 0":                                     func(a *args) { a.d.Out = 0 },
		"block 0, GMPool_G, pools to 0 vectors":              func(a *args) { a.c.Blocks[0].Seeds = 0 },
		"block 2, GMPool_G, follows a pool":                  func(a *args) { a.c.Blocks[2].Kind = pool.GMPoolG },
		`block 1 is "Selfatt"`:                               func(a *args) { a.c.Blocks[1].Kind = "Selfatt" },
		"3 blocks end in 2 vectors per sample, expected 1":   func(a *args) { a.c.Blocks[2].Seeds = 2 },
		"0 blocks end in 0 vectors per sample, expected 1":   func(a *args) { a.c.Blocks = nil },
		"pool: gmt: 1 blocks end in 0 vectors per sample, e": func(a *args) { a.c.Blocks = []pool.GMTBlock{{Kind: pool.SelfAtt}} },
	} {
		a := valid()
		change(&a)
		if g, err := pool.NewGMTPool(nn.NewInit(0), a.d, a.c); g != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// The chain in other orders: attention among the nodes first, a pool without
// graph first. Each sample has the same vector alone.
func TestGMTChains(t *testing.T) {
	v := must(graph.Collate(samplesWithEdges(4))).View
	v = v.WithX(random(pass(t, true).Rand, v.VertexOf.Len(), 4))
	for name, blocks := range map[string][]pool.GMTBlock{
		"paper":              pool.GMTBlocks(3),
		"without self":       {{Kind: pool.GMPoolG, Seeds: 3}, {Kind: pool.GMPoolI, Seeds: 1}},
		"one pool":           {{Kind: pool.GMPoolG, Seeds: 1}},
		"attention first":    {{Kind: pool.SelfAtt}, {Kind: pool.GMPoolG, Seeds: 1}},
		"linear, then twice": {{Kind: pool.GMPoolI, Seeds: 3}, {Kind: pool.SelfAtt}, {Kind: pool.GMPoolI, Seeds: 1}, {Kind: pool.SelfAtt}},
	} {
		layer := must(pool.NewGMTPool(nn.NewInit(2), nn.Dims{In: 4, Out: 6}, pool.GMTPoolConfig{Blocks: blocks, MAB: pool.MABConfig{Heads: 2, Cluster: true}}))
		y, attention := layer.Forward(pass(t, true), v)
		if !slices.Equal(y.Shape(), []int{5, 6}) || len(attention) != len(blocks) {
			t.Fatalf("%s: shape %v, attention of %d blocks", name, y.Shape(), len(attention))
		}
		at := 0
		for g, sample := range samplesWithEdges(4) {
			alone := must(graph.Collate([]*graph.Graph{sample})).View
			alone = alone.WithX(v.X.Slice(0, at, at+sample.NumNodes))
			at += sample.NumNodes
			z, _ := layer.Forward(pass(t, true), alone)
			near(t, name, y.Data()[6*g:6*g+6], z.Data(), 1e-5)
		}
	}
}
