package molgan

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
	"github.com/ehgnn/ehgnn/train"
)

// Files of a run folder.
const (
	settingsFile = "molgan.json"
	modelFile    = "model.safetensors"
)

// Settings are the generator's settings in a run folder.
type Settings struct {
	Space  Space  `json:"space"`
	Config Config `json:"config"`
	Data   string `json:"data"` // name of the training data, for readers
}

// maxZ is the largest noise dimension of a run that can be opened.
const maxZ = 1 << 16

// Save writes a run folder, from which Open reads the generator.
func Save(dir string, g *Generator, s Settings) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("molgan: %w", err)
	}
	if err := train.SaveParams(filepath.Join(dir, modelFile), g, nil); err != nil {
		return fmt.Errorf("molgan: %w", err)
	}
	if err := atomicfile.WriteJSON(filepath.Join(dir, settingsFile), s); err != nil {
		return fmt.Errorf("molgan: %w", err)
	}
	return nil
}

// Open reads the generator of a run folder.
func Open(dir string) (*Generator, Settings, error) {
	var s Settings
	path := filepath.Join(dir, settingsFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, s, fmt.Errorf("molgan: %s is no folder of a generator: there is no %s", dir, settingsFile)
	}
	if err != nil {
		return nil, s, fmt.Errorf("molgan: %w", err)
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, s, fmt.Errorf("molgan: %s: %w", path, err)
	}
	if err := errors.Join(s.Space.Validate(), s.Config.Validate()); err != nil {
		return nil, s, fmt.Errorf("%s: %w", path, err)
	}
	if s.Config.ZDim > maxZ {
		return nil, s, fmt.Errorf("molgan: %s: z_dim is %d, expected at most %d", path, s.Config.ZDim, maxZ)
	}
	g := newGenerator(nn.NewInit(0).In("generator"), s.Space, s.Config)
	if _, err := train.ReadParams(filepath.Join(dir, modelFile), g); err != nil {
		return nil, s, fmt.Errorf("molgan: %w", err)
	}
	return g, s, nil
}

// patience is the largest number of graphs in a row without a new molecule.
const patience = 10000

// ExhaustedError is the error of a generator that gives no new molecules any more.
type ExhaustedError struct {
	Molecules, Wanted int // numbers of distinct molecules
	Graphs            int // number of drawn graphs
}

// Error returns a message with the numbers.
func (e *ExhaustedError) Error() string {
	return fmt.Sprintf("molgan: the generator has drawn %d different molecules in %d graphs, and none in the last %d: expected %d", e.Molecules, e.Graphs, patience, e.Wanted)
}

// Generate draws distinct valid molecules and calls f with the score of each, until there are count
// molecules. The order is that of the draws and does not depend on the number of threads. It
// returns an *ExhaustedError if none of the last 10,000 graphs was a new molecule.
func (g *Generator) Generate(ctx context.Context, j *Judge, seed uint64, count int, f func(Score) error) (err error) {
	defer tensor.Catch(&err)
	arena := tensor.NewArena(j.Threads)
	seen := map[string]bool{}
	since, total := 0, 0
	for batch := 0; len(seen) < count; batch++ {
		scores, err := j.Scores(ctx, g.sample(arena, rng.Stream(seed, "molgan", "generate", batch), drawnSlice))
		if err != nil {
			return err
		}
		for _, s := range scores {
			total++
			if !s.Valid() || seen[s.SMILES] {
				since++
				continue
			}
			since, seen[s.SMILES] = 0, true
			if err := f(s); err != nil || len(seen) == count {
				return err
			}
		}
		if since >= patience {
			return &ExhaustedError{Molecules: len(seen), Wanted: count, Graphs: total}
		}
	}
	return nil
}
