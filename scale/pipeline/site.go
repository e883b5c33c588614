package pipeline

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/ehgnn/ehgnn/internal/kernel"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/scale/store"
	"github.com/ehgnn/ehgnn/scale/visit"
)

// Turn has what workers must know about a job, as a field of each function. It has only text and
// numbers. All workers must have access to its folders.
type Turn struct {
	Store, StoreSum string // folder and checksum of the store
	Out, Work       string // folder of results, and folder of files between turns
	RunSum          string // checksum of the run, which is in Work
	Kernels         string // kernel.Level of the driver
	Writes          string
	Index           int
	Shift           int    // scale of the sums
	Before          string // checksum of the records of the previous turn; empty in turn 0
}

// Names of files in the folder of results, and of the run in its work folder.
const (
	manifestName = "manifest.json"
	workName     = "work"
	runName      = "run.safetensors"
)

func turnName(turn int) string         { return fmt.Sprintf("turn-%02d", turn) }
func recordsName(turn int) string      { return turnName(turn) + ".json" }
func stateName(turn, block int) string { return fmt.Sprintf("%s/%06d.state", turnName(turn), block) }
func messageName(turn, block int) string {
	return fmt.Sprintf("%s/%06d.message", turnName(turn), block)
}
func rowsName(turn, part int) string { return fmt.Sprintf("%s/%06d.rows", turnName(turn), part) }

// Record describes a finished visit.
type Record struct {
	Block    int                   `json:"block"` // | -1 for a part
	Part     int                   `json:"part"`  // | -1 for a block
	Greatest float32               `json:"greatest,omitempty"`
	Shuffled int64                 `json:"shuffled,omitempty"` // bytes received and sent
	Kept     map[string]store.File `json:"kept,omitempty"`     // files in the work folder
	Results  map[string]store.File `json:"results,omitempty"`  // files in the folder of results
}

// site has what a worker has opened.
type site struct {
	run     *session.Run
	program visit.Program
	store   *store.Store
	before  map[string]store.File // files of the previous turn
}

// Runs and stores that are open in this process, by checksum.
var (
	runs   once[*site]
	stores once[*store.Store]
	kept   once[map[string]store.File]
)

// once stores values that take time to make. It does not store errors.
type once[T any] struct {
	mu   sync.Mutex
	have map[string]T
}

func (o *once[T]) get(key string, make func() (T, error)) (T, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if v, ok := o.have[key]; ok {
		return v, nil
	}
	v, err := make()
	if err == nil {
		o.have = map[string]T{key: v} // only the worker's last job is still running
	}
	return v, err
}

// open opens what a worker needs for a turn.
func (t *Turn) open(ctx context.Context) (*site, error) {
	if level := kernel.Level(); level != t.Kernels {
		return nil, fmt.Errorf("pipeline: this worker computes with %s instructions and the driver with %s: results could differ in the last bit; use machines of one kind", level, t.Kernels)
	}
	run, err := runs.get(t.RunSum, func() (*site, error) {
		b, err := readFile(ctx, join(t.Work, runName), t.RunSum)
		if err != nil {
			return nil, err
		}
		s := &site{}
		s.run, s.program, err = visit.Decode(b)
		return s, err
	})
	if err != nil {
		return nil, err
	}
	s := *run
	s.store, err = stores.get(t.Store+" "+t.StoreSum, func() (*store.Store, error) {
		st, err := openStore(t.Store)
		if err == nil && st.Checksum != t.StoreSum {
			err = fmt.Errorf("pipeline: store %s was changed: its checksum is %s, expected %s", t.Store, st.Checksum, t.StoreSum)
		}
		return st, err
	})
	if err != nil || t.Before == "" {
		return &s, err
	}
	s.before, err = kept.get(t.Before, func() (map[string]store.File, error) {
		records, err := readRecords(ctx, join(t.Work, recordsName(t.Index-1)), t.Before)
		files := map[string]store.File{}
		for _, r := range records {
			for name, f := range r.Kept {
				files[name] = f
			}
		}
		return files, err
	})
	return &s, err
}

// readRecords reads the records of a turn.
func readRecords(ctx context.Context, name, sum string) ([]Record, error) {
	b, err := readFile(ctx, name, sum)
	if err != nil {
		return nil, err
	}
	var records []Record
	if err := json.Unmarshal(b, &records); err != nil {
		return nil, fmt.Errorf("pipeline: %s: %w", name, err)
	}
	return records, nil
}

// numbers reads rows of numbers that the previous turn wrote.
func (s *site) numbers(ctx context.Context, t *Turn, name string, n int) ([]float32, error) {
	f, ok := s.before[name]
	if !ok {
		return nil, fmt.Errorf("pipeline: %s: the records of the turn before do not list it", join(t.Work, name))
	}
	b, err := readFile(ctx, join(t.Work, name), f.SHA256)
	if err != nil {
		return nil, err
	}
	x := make([]float32, n)
	if err := decodeNumbers(x, b); err != nil {
		return nil, fmt.Errorf("pipeline: %s: %w", join(t.Work, name), err)
	}
	return x, nil
}
