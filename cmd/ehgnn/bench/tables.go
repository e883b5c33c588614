package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tablefile"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/memory"
)

// Table is a measurement of reading a table of edges.
type Table struct {
	Name    string  `json:"name"`
	Rows    int     `json:"rows"`
	Columns int     `json:"columns"`
	Cells   Seconds `json:"cells"` // reading all cells with their types, without storing them
	Set     Seconds `json:"set"`   // reading the table as a data set
	// PeakBytes is the peak memory of the process since the previous table, if the system reports it.
	PeakBytes int64 `json:"peak_rss_bytes"`
}

// Seconds are the shortest times of some measurements.
type Seconds struct {
	Wall float64 `json:"seconds_min"`
	CPU  float64 `json:"cpu_seconds_min"` // of all threads, 0 if the system does not report it
}

// least measures a call and keeps the shorter time.
func (s *Seconds) least(call func() error) error {
	begin, used := time.Now(), readTicks()
	if err := call(); err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	const tick = 100 // per second, on Linux
	wall, cpu := time.Since(begin).Seconds(), float64(readTicks().own-used.own)/tick
	if s.Wall == 0 {
		*s = Seconds{wall, cpu}
	}
	*s = Seconds{min(s.Wall, wall), min(s.CPU, cpu)}
	return nil
}

// tableRounds is how often a table is read; the shortest time counts.
const tableRounds = 3

// ReadTable measures reading the table of edges at a path.
func ReadTable(ctx context.Context, path string) (Table, error) {
	debug.FreeOSMemory()
	memory.ResetPeak()
	t := Table{Name: filepath.Base(path)}
	for range tableRounds {
		if err := ctx.Err(); err != nil {
			return t, err
		}
		if err := t.Cells.least(func() error { return t.readCells(path) }); err != nil {
			return t, err
		}
		err := t.Set.least(func() error {
			_, err := tables.Open(path, tables.Options{})
			return err
		})
		if err != nil {
			return t, err
		}
	}
	t.PeakBytes = memory.Peak()
	return t, nil
}

// readCells reads the rows of a table and counts them.
func (t *Table) readCells(path string) error {
	r, err := tablefile.OpenPath(path, data.NewBudget(0), tablefile.Options{})
	if err != nil {
		return err
	}
	t.Rows, t.Columns = 0, len(r.Columns())
	for {
		if _, err := r.Next(); err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			_, e := r.Close()
			return errors.Join(err, e)
		}
		t.Rows++
	}
}
