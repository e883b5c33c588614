package train

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/par"
	"github.com/ehgnn/ehgnn/internal/rng"
)

// ahead is how many collated batches may wait for the model: enough that a large batch after small
// ones does not delay it, and few enough for memory.
const ahead = 2

// loader collates batches in order in a goroutine, before they are needed.
type loader struct {
	out  chan loaded
	stop chan struct{}
	once sync.Once
}

type loaded struct {
	batch  *graph.Batch
	err    error
	raised any // value of a panic, which the caller's goroutine raises again
}

// load starts a loader over groups of graphs. join makes a batch of each. The caller must call
// close.
func load(groups iter.Seq[[]*graph.Graph], join joiner, prepare func(*graph.Batch)) *loader {
	l := &loader{out: make(chan loaded, ahead), stop: make(chan struct{})}
	go func() {
		defer close(l.out)
		for gs := range groups {
			select {
			case <-l.stop: // do not collate a batch that close would drop
				return
			default:
			}
			item := collate(gs, join, prepare)
			select {
			case l.out <- item:
			case <-l.stop:
				return
			}
			if item.batch == nil {
				return
			}
		}
	}()
	return l
}

// joiner makes a batch from graphs.
type joiner func([]*graph.Graph) (*graph.Batch, error)

// collate joins and prepares one batch. A panic becomes part of the result.
func collate(gs []*graph.Graph, join joiner, prepare func(*graph.Batch)) (item loaded) {
	defer func() {
		if r := recover(); r != nil {
			item = loaded{raised: par.Carried(r)}
		}
	}()
	b, err := join(gs)
	if err != nil {
		return loaded{err: fmt.Errorf("train: %w", err)}
	}
	if prepare != nil {
		prepare(b)
	}
	return loaded{batch: b}
}

func (item loaded) get() (*graph.Batch, error) {
	if item.raised != nil {
		panic(item.raised)
	}
	return item.batch, item.err
}

// next returns the next batch, or nil after the last.
func (l *loader) next() (*graph.Batch, error) { return (<-l.out).get() }

// close stops the goroutine and waits until it has ended.
func (l *loader) close() {
	l.once.Do(func() { close(l.stop) })
	for range l.out {
	}
}

// inOrder groups graphs in their order.
func inOrder(graphs []*graph.Graph, size int) iter.Seq[[]*graph.Graph] {
	return slices.Chunk(graphs, size)
}

// shuffled groups the graphs of steps from to until (exclusive). Each epoch has its own order. The
// last group of an epoch may be smaller.
func shuffled(graphs []*graph.Graph, size int, seed uint64, from, until int) iter.Seq[[]*graph.Graph] {
	perEpoch := (len(graphs) + size - 1) / size
	return func(yield func([]*graph.Graph) bool) {
		order := make([]*graph.Graph, len(graphs))
		epoch := 0
		for step := from; step < until; step++ {
			if e := step/perEpoch + 1; e != epoch {
				epoch = e
				copy(order, graphs)
				rng.Stream(seed, "shuffle", epoch).Shuffle(len(order), func(i, j int) {
					order[i], order[j] = order[j], order[i]
				})
			}
			lo := step % perEpoch * size
			if !yield(order[lo:min(lo+size, len(order))]) {
				return
			}
		}
	}
}

// batchSource returns the batches of training steps.
type batchSource struct {
	whole *graph.Batch // the batch of every step if all graphs fit in one, else nil
	*loader
}

// newBatchSource starts with the batch of step from. If all graphs fit in one batch, their order
// does not matter: the batch is built once and used in every step.
func newBatchSource(graphs []*graph.Graph, cfg Config, from, until int, prepare func(*graph.Batch)) (*batchSource, error) {
	size := cfg.batchSize(len(graphs))
	if size == len(graphs) {
		b, err := collate(graphs, graph.Collate, prepare).get()
		return &batchSource{whole: b}, err
	}
	return &batchSource{loader: load(shuffled(graphs, size, cfg.Seed, from, until), graph.Collate, prepare)}, nil
}

func (f *batchSource) next() (*graph.Batch, error) {
	if f.whole != nil {
		return f.whole, nil
	}
	return f.loader.next()
}

func (f *batchSource) close() {
	if f.loader != nil {
		f.loader.close()
	}
}

// collateAll builds the batches of an evaluation that is repeated.
func collateAll(ctx context.Context, graphs []*graph.Graph, size int, prepare func(*graph.Batch)) ([]*graph.Batch, error) {
	var out []*graph.Batch
	for gs := range inOrder(graphs, size) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b, err := collate(gs, graph.Collate, prepare).get()
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}
