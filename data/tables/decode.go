package tables

import (
	"fmt"
	"runtime/metrics"
	"time"
)

// watchEvery is how often the memory is looked at while rows are decoded. A decoder that
// fills what it has taken gets through some tens of megabytes in that time.
const watchEvery = 5 * time.Millisecond

// decode decodes the next rows of the open group into batch. The pages of a Parquet file
// say nothing reliable about their size: a few bytes can be a run of 2³¹ values, or a
// frame that unpacks to any length. So the decoder works in a goroutine of its own, and
// when the heap grows past the bound meanwhile it is left behind: it ends with its page,
// or with the process.
func (r *parquetRows) decode() (int, error) {
	type result struct {
		n        int
		err      error
		panicked any
	}
	rows, batch := r.open, r.batch
	done := make(chan result, 1)
	go func() {
		var res result
		defer func() {
			res.panicked = recover()
			done <- res
		}()
		res.n, res.err = rows.ReadRows(batch)
	}()
	watch := time.NewTicker(watchEvery)
	defer watch.Stop()
	before := heapBytes()
	for {
		select {
		case res := <-done:
			if res.panicked != nil {
				panic(res.panicked) // for guard
			}
			return res.n, res.err
		case <-watch.C:
			if err := r.folder.budget.Allows(heapBytes()-before, fmt.Sprintf("%d rows", len(batch))); err != nil {
				r.open, r.batch = nil, nil
				return 0, err
			}
		}
	}
}

// heapBytes is the memory of objects, dead ones that are not collected yet included.
func heapBytes() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}
