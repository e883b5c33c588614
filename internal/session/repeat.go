package session

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/train"
)

// SeedsFile is the file of a run folder that was trained with several seeds. The folder itself is the run of
// the first seed, which is used for predictions. The other runs are in seeds/SEED below it, each with its
// own metrics.jsonl. All have the same split.
const SeedsFile = "seeds.json"

// Seeds is the content of SeedsFile.
type Seeds struct {
	Runs []SeedRun `json:"runs"` // in the order of the seeds
	// Scores summarises the finished runs.
	Scores []SeedScore `json:"scores,omitempty"`
}

// SeedRun is the run of one seed.
type SeedRun struct {
	Seed   uint64       `json:"seed"`
	Dir    string       `json:"dir"`              // relative to the run folder; "." for the first
	Result *TrainResult `json:"result,omitempty"` // nil until the run has finished
}

// SeedScore is a score summarised over the seeds.
type SeedScore struct {
	Part      string  `json:"part"` // valid or test
	Name      string  `json:"name"`
	Mean      float64 `json:"mean"`
	Deviation float64 `json:"deviation"` // sample standard deviation over the seeds
}

// NewSeeds returns n consecutive seeds.
func NewSeeds(first uint64, n int) *Seeds {
	out := &Seeds{}
	for k := range n {
		r := SeedRun{Seed: first + uint64(k), Dir: "."}
		if k > 0 {
			r.Dir = filepath.Join("seeds", strconv.FormatUint(r.Seed, 10))
		}
		out.Runs = append(out.Runs, r)
	}
	return out
}

// ReadSeeds reads the seeds of a run folder; nil if it was trained with one seed.
func ReadSeeds(dir string) (*Seeds, error) {
	path := filepath.Join(dir, SeedsFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, settings.Usage(err)
	}
	var out Seeds
	if err := json.Unmarshal(text, &out); err != nil {
		return nil, settings.Misuse("%s: %w", path, err)
	}
	for _, r := range out.Runs {
		if !filepath.IsLocal(r.Dir) {
			return nil, settings.Misuse("%s: the folder %q of seed %d is not within the run folder", path, r.Dir, r.Seed)
		}
	}
	if len(out.Runs) == 0 {
		return nil, settings.Misuse("%s has no runs", path)
	}
	return &out, nil
}

// write writes the seeds into a run folder.
func (s *Seeds) write(dir string) error {
	return atomicfile.WriteJSON(filepath.Join(dir, SeedsFile), s)
}

// TrainSeeds trains a run for each seed of TrainOptions.Seeds: the first with the session itself, which was
// opened on in, the others with sessions like it. Finished runs are not trained again. The result is that of
// the first seed, with all seeds in Seeds. starting is called before each run.
func (s *Session) TrainSeeds(ctx context.Context, in *Input, o TrainOptions, starting func(SeedRun)) (*TrainResult, error) {
	seeds, dir, splitSeed := o.Seeds, o.Dir, s.Settings.Split.Seed
	if len(seeds.Runs) == 1 {
		o.Seeds = nil
		return s.Train(ctx, o)
	}
	var first *TrainResult
	for k := range seeds.Runs {
		run := &seeds.Runs[k]
		o.Dir = filepath.Join(dir, run.Dir)
		of := s
		if k > 0 {
			if e, err := ReadEnvironment(o.Dir); err == nil && o.Resume {
				run.Result = e.Result
				continue
			}
			r := s.request
			r.Seed, r.SplitSeed = run.Seed, &splitSeed
			var err error
			if of, err = OpenOn(ctx, r, in); err != nil {
				return first, err
			}
			o.Seeds = nil
		}
		starting(*run)
		res, err := of.Train(ctx, o)
		if k == 0 {
			first = res
		}
		if err != nil {
			if first != nil && res != nil {
				first.Interrupted = res.Interrupted
			}
			return first, err
		}
		kept := *res
		run.Result = &kept
		if err := seeds.summarise().write(dir); err != nil {
			return first, err
		}
	}
	first.Seeds = seeds.summarise()
	return first, seeds.write(dir)
}

// summarise computes the scores over the finished runs.
func (s *Seeds) summarise() *Seeds {
	s.Scores = nil
	for _, part := range []string{"valid", "test"} {
		values, names := map[string][]float64{}, []string(nil)
		for _, r := range s.Runs {
			if r.Result == nil {
				continue
			}
			of := train.Scores(r.Result.Valid)
			if part == "test" {
				of = r.Result.Test
			}
			for _, v := range of {
				if !slices.Contains(names, v.Name) {
					names = append(names, v.Name)
				}
				values[v.Name] = append(values[v.Name], v.Value)
			}
		}
		for _, name := range names {
			if mean, deviation := spread(values[name]); !math.IsNaN(mean) {
				s.Scores = append(s.Scores, SeedScore{part, name, mean, deviation})
			}
		}
	}
	return s
}

// Score returns a score over the seeds; ok is false if there is none.
func (s *Seeds) Score(part, name string) (v SeedScore, ok bool) {
	i := slices.IndexFunc(s.Scores, func(v SeedScore) bool { return v.Part == part && v.Name == name })
	if i < 0 {
		return v, false
	}
	return s.Scores[i], true
}

// spread returns the mean and the sample standard deviation; the deviation of a single value is 0.
func spread(values []float64) (mean, deviation float64) {
	n := float64(len(values))
	for _, v := range values {
		mean += v / n
	}
	for _, v := range values {
		deviation += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(deviation / max(n-1, 1))
}
