package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/kernel"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/scale/store"
	"github.com/ehgnn/ehgnn/scale/visit"
)

// Names in the folder of a job.
const (
	manifestName = "manifest.json"
	workName     = "work"
	version      = 1
	runnerName   = "local"
)

// Manifest describes a job and its progress.
type Manifest struct {
	Version int    `json:"version"`
	Runner  string `json:"runner"`
	Writes  string `json:"writes"` // visit.Predictions, ...
	Run     string `json:"run"`    // SHA-256 of the run's weights and settings
	Store   string `json:"store"`  // checksum of the store
	Kernels string `json:"kernels"`
	// Turns are the finished turns, except the last one.
	Turns []Turn `json:"turns"`
	Done  bool   `json:"done"`
	// Files are the outputs of a finished job.
	Files map[string]store.File `json:"files,omitempty"`
}

// Turn is a finished turn.
type Turn struct {
	Greatest float32 `json:"greatest"` // greatest magnitude in the messages
	Shift    int     `json:"shift"`    // scale of their sums
}

// Job describes a job for Write.
type Job struct {
	Run    string // run folder
	Store  string // store folder
	Out    string // folder of outputs, which need not exist
	Writes string // visit.Predictions, ...
	Resume bool   // continues a stopped job
	// Threads, Memory and Progress are as in Config.
	Threads  int
	Memory   int64
	Progress func(step string, done, of int) `json:"-"`
}

// Write runs a job and returns its manifest. settings.IsUsage recognises errors of the job's
// options.
func Write(ctx context.Context, j Job) (*Manifest, error) {
	r, err := j.begin()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(j.Out, 0o755); err != nil {
		return nil, fmt.Errorf("local: %w", err)
	}
	release, err := atomicfile.Lock(j.Out)
	if err != nil {
		return nil, fmt.Errorf("local: %w", err)
	}
	defer release()
	if err := r.resume(j.Resume); err != nil {
		return nil, err
	}
	if !r.manifest.Done {
		if err := r.run(ctx); err != nil {
			return nil, err
		}
	}
	if err := os.RemoveAll(r.config.Dir); err != nil {
		return nil, fmt.Errorf("local: %w", err)
	}
	return &r.manifest, nil
}

// jobRun is a job in progress.
type jobRun struct {
	Job
	trained  *visit.Trained
	config   Config
	runner   *runner
	manifest Manifest
	outputs  int
}

// begin opens the run and the store of a job.
func (j Job) begin() (*jobRun, error) {
	r := &jobRun{Job: j, config: Config{Threads: j.Threads, Memory: j.Memory, Progress: j.Progress, Dir: filepath.Join(j.Out, workName)}}
	var err error
	if r.trained, err = visit.OpenRun(j.Run); err != nil {
		return nil, err
	}
	r.config.Program = r.trained.Program
	if r.config.Store, err = store.Open(j.Store); err != nil {
		return nil, settings.Misuse("%w", err)
	}
	m := &r.config.Store.Manifest
	if err := r.trained.Writes(j.Writes, m); err != nil {
		return nil, err
	}
	if r.outputs = m.Blocks; j.Writes == visit.NodeVectors {
		r.outputs = len(m.Parts)
	}
	r.runner = r.config.runner()
	if err := r.runner.plan.fits(r.config.Program); err != nil {
		return nil, err
	}
	r.manifest = Manifest{Version: version, Runner: runnerName, Writes: j.Writes, Run: r.trained.Sum, Store: r.config.Store.Checksum, Kernels: kernel.Level()}
	return r, nil
}

func (r *jobRun) manifestPath() string { return filepath.Join(r.Out, manifestName) }

// resume continues from the files of the job in the folder.
func (r *jobRun) resume(wanted bool) error {
	b, err := os.ReadFile(r.manifestPath())
	if errors.Is(err, fs.ErrNotExist) {
		entries, err := os.ReadDir(r.Out)
		if err != nil {
			return fmt.Errorf("local: %w", err)
		}
		for _, e := range entries {
			if e.Name() != ".lock" {
				return settings.Misuse("local: %s is not empty and has no job to resume; name a new folder", r.Out)
			}
		}
		return r.save()
	}
	if err != nil {
		return fmt.Errorf("local: %w", err)
	}
	if !wanted {
		return settings.Misuse("local: %s has a job already; --resume goes on with it, or name a new folder", r.Out)
	}
	var had Manifest
	if err := json.Unmarshal(b, &had); err != nil {
		return settings.Misuse("local: %s: %w", r.manifestPath(), err)
	}
	want := &r.manifest
	for _, f := range []struct{ what, had, want string }{
		{"layout", fmt.Sprint(had.Version), fmt.Sprint(want.Version)},
		{"the runner", had.Runner, want.Runner},
		{"what is written", had.Writes, want.Writes},
		{"the run", had.Run, want.Run},
		{"the store", had.Store, want.Store},
		{"the kernels' instruction set", had.Kernels, want.Kernels},
	} {
		if f.had != f.want {
			return settings.Misuse("local: %s cannot be resumed: %s has changed: it was %s and is %s", r.Out, f.what, f.had, f.want)
		}
	}
	if len(had.Turns) >= r.config.Program.Turns() {
		return settings.Misuse("local: %s: %d finished turns, expected fewer than %d", r.manifestPath(), len(had.Turns), r.config.Program.Turns())
	}
	r.manifest = had
	return nil
}

func (r *jobRun) save() error {
	if err := atomicfile.WriteJSON(r.manifestPath(), r.manifest); err != nil {
		return fmt.Errorf("local: %w", err)
	}
	return nil
}

// run does the rest of the job.
func (r *jobRun) run(ctx context.Context) error {
	if err := os.MkdirAll(r.config.Dir, 0o755); err != nil {
		return fmt.Errorf("local: %w", err)
	}
	r.runner.resumed, r.runner.written = r.Resume, r.has
	r.runner.finished = func(turn int, greatest float32) error {
		r.manifest.Turns = append(r.manifest.Turns, Turn{greatest, kernel.FixedShift(greatest, r.config.Store.Manifest.MostEntries)})
		return r.save()
	}
	from, greatest := len(r.manifest.Turns), float32(0)
	if from > 0 {
		greatest = r.manifest.Turns[from-1].Greatest
	}
	for turn := range from - 1 { // which a killed process may have left
		if err := r.runner.arrays.drop(turn, ""); err != nil {
			return err
		}
	}
	r.runner.stopAtParts = r.Writes == visit.NodeVectors
	if err := r.runner.run(ctx, from, greatest, r.block); err != nil {
		return err
	}
	if r.Writes == visit.NodeVectors {
		if err := r.nodes(ctx); err != nil {
			return err
		}
	}
	return r.finish()
}

// block writes the output of a block.
func (r *jobRun) block(ctx context.Context, b *store.Block, res *visit.Result) error {
	names, err := r.config.Store.Names(ctx, b.Index)
	if err != nil {
		return err
	}
	return r.output(b.Index, func(w io.Writer) error {
		if r.Writes == visit.EdgeVectors {
			return visit.WriteVectors(w, b, names, res)
		}
		return visit.WritePredictions(w, r.trained.Run, b, names, res)
	})
}

// nodes writes the vectors of nodes.
func (r *jobRun) nodes(ctx context.Context) error {
	turn := r.config.Program.Turns() - 1
	return each(ctx, r.runner.workers[:1], r.outputs, func(ctx context.Context, w *worker, i int) error {
		if r.has(i) {
			return nil
		}
		p, err := r.config.Store.Part(ctx, i)
		if err != nil {
			return err
		}
		a, err := r.runner.arrays.get(key{rows, turn, i}, w.rows)
		if err != nil {
			return err
		}
		w.rows = a.data
		return r.output(i, func(to io.Writer) error { return visit.WriteNodes(to, p, a.data, r.config.Program.NodeVectors()) })
	})
}

// output writes an output and then, in the folder of states, its checksum, which marks it as
// complete.
func (r *jobRun) output(i int, write func(io.Writer) error) error {
	sum := store.NewSum()
	if err := atomicfile.Write(filepath.Join(r.Out, visit.OutputName(i)), func(w io.Writer) error {
		return write(io.MultiWriter(w, sum))
	}); err != nil {
		return fmt.Errorf("local: %s: %w", visit.OutputName(i), err)
	}
	if err := atomicfile.WriteJSON(r.donePath(i), sum.File()); err != nil {
		return fmt.Errorf("local: %w", err)
	}
	return nil
}

func (r *jobRun) donePath(i int) string {
	return filepath.Join(r.config.Dir, visit.OutputName(i)+".json")
}

// has reports whether a resumed job has already written an output and the output is unchanged.
func (r *jobRun) has(i int) bool {
	if !r.Resume {
		return false
	}
	want, err := r.done(i)
	if err != nil {
		return false
	}
	f, err := os.Open(filepath.Join(r.Out, visit.OutputName(i)))
	if err != nil {
		return false
	}
	defer f.Close()
	sum := store.NewSum()
	_, err = io.Copy(sum, f)
	return err == nil && sum.File() == want
}

func (r *jobRun) done(i int) (f store.File, err error) {
	b, err := os.ReadFile(r.donePath(i))
	if err == nil {
		err = json.Unmarshal(b, &f)
	}
	return f, err
}

// finish lists the outputs in the manifest.
func (r *jobRun) finish() error {
	r.manifest.Files = map[string]store.File{}
	for i := range r.outputs {
		f, err := r.done(i)
		if err != nil {
			return fmt.Errorf("local: %w", err)
		}
		r.manifest.Files[visit.OutputName(i)] = f
	}
	r.manifest.Done = true
	return r.save()
}
