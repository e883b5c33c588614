package pipeline

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/kernel"
	"github.com/ehgnn/ehgnn/internal/memory"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/scale/store"
	"github.com/ehgnn/ehgnn/scale/visit"
)

// Config describes a job.
type Config struct {
	Run   string // folder of the trained run, which only the driver reads
	Store string // a folder that all workers can read: a path or gs://bucket/name
	Out   string // folder of the results, which all workers can use
	// Writes is the kind of results: visit.Predictions, ...
	Writes string
	// Runner is one of Runners. Flags are Beam's flags for it, such as --endpoint HOST:PORT.
	Runner string
	Flags  []string
	// Attempts is the largest number of attempts for a turn; 0 means 3.
	Attempts int
	Resume   bool
	// Progress is called after each finished turn, and Failed after each failed attempt that is
	// repeated. Log receives Beam's messages. Each may be nil.
	Progress func(turn, turns int, d Done)
	Failed   func(turn int, err error)
	Log      io.Writer
}

// Done describes a finished turn.
type Done struct {
	Shift    int     `json:"shift"`    // scale of its sums
	Greatest float32 `json:"greatest"` // greatest magnitude in its messages
	Records  string  `json:"records"`  // checksum of its records
	Shuffled int64   `json:"shuffled"` // bytes sent between blocks and parts
	Seconds  float64 `json:"seconds"`
}

// Manifest describes a job and its progress. It is manifest.json in the folder of results.
type Manifest struct {
	Version int    `json:"version"`
	Runner  string `json:"runner"` // always beam: the files are the same for all engines
	Writes  string `json:"writes"` // visit.Predictions, ...
	Run     string `json:"run"`    // SHA-256 of its model.safetensors
	Store   string `json:"store"`  // checksum of the store
	Kernels string `json:"kernels"`
	// Turns are the finished turns.
	Turns []Done `json:"turns"`
	Done  bool   `json:"done"`
	// Files are the results of a finished job.
	Files map[string]store.File `json:"files,omitempty"`
}

// driver is a job in progress.
type driver struct {
	Config
	program  visit.Program
	weights  []byte // the file of the run for workers
	store    *store.Store
	work     string
	manifest Manifest
}

// Run computes the results of a trained run for a store, and returns the manifest of the finished
// job.
func Run(ctx context.Context, c Config) (*Manifest, error) {
	if err := configure(c.Runner, c.Flags); err != nil {
		return nil, err
	}
	d, err := open(c)
	if err != nil {
		return nil, err
	}
	restore, err := ownTemporary()
	if err != nil {
		return nil, err
	}
	defer restore()
	if !remote(c.Out) {
		if err := os.MkdirAll(c.Out, 0o777); err != nil {
			return nil, fmt.Errorf("pipeline: %w", err)
		}
		release, err := atomicfile.Lock(c.Out)
		if err != nil {
			return nil, fmt.Errorf("pipeline: %w", err)
		}
		defer release()
	}
	if err := d.begin(ctx); err != nil {
		return nil, err
	}
	if err := d.turns(ctx); err != nil {
		return nil, err
	}
	return &d.manifest, nil
}

// open reads the run and the store of a job, and returns an error if the job is impossible.
func open(c Config) (*driver, error) {
	if c.Attempts == 0 {
		c.Attempts = 3
	}
	if c.Log == nil {
		c.Log = io.Discard
	}
	d := &driver{Config: c, work: join(c.Out, workName)}
	trained, err := visit.OpenRun(c.Run)
	if err != nil {
		return nil, err
	}
	d.program, d.weights = trained.Program, trained.Weights
	if d.store, err = openStore(c.Store); err != nil {
		return nil, err
	}
	if err := trained.Writes(c.Writes, &d.store.Manifest); err != nil {
		return nil, err
	}
	if c.Runner == Prism {
		if err := fitsPrism(&d.store.Manifest, d.program, memory.Free()); err != nil {
			return nil, err
		}
	}
	d.manifest = Manifest{Version: 1, Runner: "beam", Writes: c.Writes, Run: trained.Sum, Store: d.store.Checksum, Kernels: kernel.Level()}
	return d, nil
}

// begin reads the progress of a resumed job, and writes the run for workers.
func (d *driver) begin(ctx context.Context) error {
	found, err := exists(ctx, join(d.Out, manifestName))
	if err != nil {
		return fmt.Errorf("pipeline: %w", err)
	}
	if found && !d.Resume {
		return settings.Misuse("%s has results, or a part of them: add --resume to go on, or choose another folder", d.Out)
	}
	if found {
		err = d.resume(ctx)
	} else if err = d.isFree(); err == nil {
		err = d.manifest.save(ctx, d.Out)
	}
	if err != nil {
		return err
	}
	if d.manifest.Done {
		return nil
	}
	name := join(d.work, runName)
	_, err = writeFile(ctx, name, func(w io.Writer) error {
		_, err := w.Write(d.weights)
		return err
	})
	return err
}

// isFree returns an error if a folder on this machine has files that are not from a job.
func (d *driver) isFree() error {
	if remote(d.Out) {
		return nil
	}
	entries, err := os.ReadDir(d.Out)
	if err != nil {
		return fmt.Errorf("pipeline: %w", err)
	}
	for _, e := range entries {
		if n := e.Name(); n != ".lock" {
			return settings.Misuse("%s has %s and no job to resume; choose another folder", d.Out, n)
		}
	}
	return nil
}

// resume continues from the manifest of a job.
func (d *driver) resume(ctx context.Context) error {
	name := join(d.Out, manifestName)
	b, err := readFile(ctx, name, "")
	if err != nil {
		return err
	}
	var m Manifest
	if err := json.Unmarshal(b, &m); err != nil {
		return settings.Misuse("%s: %w", name, err)
	}
	now := &d.manifest
	for _, is := range []struct{ what, have, want string }{
		{"of another kind of runner", m.Runner, now.Runner},
		{"of other results", m.Writes, now.Writes},
		{"of another run", m.Run, now.Run},
		{"of another store", m.Store, now.Store},
		{"computed with other instructions", m.Kernels, now.Kernels},
	} {
		if is.have != is.want {
			return settings.Misuse("%s cannot be resumed: it is %s (%q, expected %q)", d.Out, is.what, is.have, is.want)
		}
	}
	if m.Version != now.Version || len(m.Turns) > d.program.Turns() {
		return settings.Misuse("%s has version %d and %d turns, expected version %d and at most %d turns", name, m.Version, len(m.Turns), now.Version, d.program.Turns())
	}
	d.manifest = m
	if !m.Done {
		d.checkKept(ctx)
		return nil
	}
	for file, f := range m.Files {
		if !intact(ctx, join(d.Out, file), f) {
			d.manifest.Turns, d.manifest.Done, d.manifest.Files = nil, false, nil
			break
		}
	}
	return nil
}

// checkKept starts the job again if files of the last finished turn are incomplete.
func (d *driver) checkKept(ctx context.Context) {
	done := d.manifest.Turns
	if len(done) == 0 {
		return
	}
	last := len(done) - 1
	records, err := readRecords(ctx, join(d.work, recordsName(last)), done[last].Records)
	whole := err == nil
	for _, r := range records {
		for name, f := range r.Kept {
			whole = whole && intact(ctx, join(d.work, name), f)
		}
	}
	if !whole {
		d.manifest.Turns = nil
	}
}

// turns runs the turns that are left.
func (d *driver) turns(ctx context.Context) error {
	failures := make([]int, d.program.Turns())
	for !d.manifest.Done {
		turn := len(d.manifest.Turns)
		err := d.turn(ctx, turn)
		if err == nil {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if failures[turn]++; failures[turn] >= d.Attempts {
			return fmt.Errorf("turn %d of %d failed, at attempt %d; what was done before is kept for --resume: %w", turn, d.program.Turns()-1, failures[turn], err)
		}
		if d.Failed != nil {
			d.Failed(turn, err)
		}
		d.checkKept(ctx)
	}
	return nil
}

// plan returns what workers must know about a turn.
func (d *driver) plan(turn int) Turn {
	t := Turn{
		Store: d.Store, StoreSum: d.manifest.Store, Out: d.Out, Work: d.work, RunSum: d.manifest.Run,
		Kernels: d.manifest.Kernels, Writes: d.Writes, Index: turn,
	}
	if turn > 0 {
		before := d.manifest.Turns[turn-1]
		t.Before, t.Shift = before.Records, kernel.FixedShift(before.Greatest, d.store.Manifest.MostEntries)
	}
	return t
}

// turn runs the job of a turn and adds it to the manifest.
func (d *driver) turn(ctx context.Context, turn int) error {
	start, t := time.Now(), d.plan(turn)
	// The records of an earlier attempt must not be taken for those of this attempt.
	name := join(d.work, recordsName(turn))
	removeFile(ctx, name)
	if err := execute(ctx, d.Runner, d.build(t), d.Log); err != nil {
		return err
	}
	b, err := readFile(ctx, name, "")
	if err != nil {
		return err
	}
	done := Done{Shift: t.Shift, Records: checksum(b)}
	records, err := readRecords(ctx, name, done.Records)
	if err != nil {
		return err
	}
	results := map[string]store.File{}
	for _, r := range records {
		done.Greatest = max(done.Greatest, r.Greatest)
		done.Shuffled += r.Shuffled
		for name, f := range r.Results {
			results[name] = f
		}
	}
	done.Seconds = time.Since(start).Seconds()
	next := d.manifest
	next.Turns = append(slices.Clip(next.Turns), done)
	if turn == d.program.Turns()-1 {
		next.Done, next.Files = true, results
	}
	if err := next.save(ctx, d.Out); err != nil {
		return err
	}
	d.manifest = next
	d.clear(ctx, turn, records)
	if d.Progress != nil {
		d.Progress(turn, d.program.Turns(), done)
	}
	return nil
}

// save writes the manifest to a folder of results.
func (m *Manifest) save(ctx context.Context, dir string) error {
	_, err := writeFile(ctx, join(dir, manifestName), func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(m)
	})
	return err
}

// clear removes files that are not needed after a turn is in the manifest: files of the previous
// turn, and after the last turn all files.
func (d *driver) clear(ctx context.Context, turn int, records []Record) {
	if turn > 0 {
		before, _ := readRecords(ctx, join(d.work, recordsName(turn-1)), d.manifest.Turns[turn-1].Records)
		d.drop(ctx, turn-1, before)
	}
	if turn == d.program.Turns()-1 {
		d.drop(ctx, turn, records)
		removeFile(ctx, join(d.work, runName))
		removeFolder(d.work)
	}
}

func (d *driver) drop(ctx context.Context, turn int, records []Record) {
	for _, r := range records {
		for name := range r.Kept {
			removeFile(ctx, join(d.work, name))
		}
	}
	removeFile(ctx, join(d.work, recordsName(turn)))
	removeFolder(join(d.work, turnName(turn)))
}
