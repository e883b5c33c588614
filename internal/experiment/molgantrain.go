package experiment

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/ehgnn/ehgnn/data/smiles"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/generate/molgan"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/train"
)

// ganSettings determine the result of one training.
type ganSettings struct {
	Data string `json:"data"` // checksum of the molecules
	Row  string `json:"row"`
	molgan.Config
}

// ganResult is the result of a training.
type ganResult struct {
	ganSettings
	Points    []molgan.Point `json:"points"`
	Diverged  int            `json:"diverged"` // iteration in which it diverged, 0 for none
	Seconds   float64        `json:"seconds"`  // time of iterations
	Measuring float64        `json:"measuring_seconds"`
	Calls     int64          `json:"toolkit_calls"`
	// Drawn has different molecules, in the order of generation.
	Drawn []molgan.Score `json:"drawn"`
}

func (r ganResult) last() molgan.Point { return r.Points[len(r.Points)-1] }

// ganDrawn is how many molecules of a training are stored for pictures, at most.
const ganDrawn = 24

// ganSet has the training molecules.
type ganSet struct {
	*molgan.Data
	ganRequest
	name     string
	checksum string
	parts    molgan.Parts
	test     []molgan.Score // of the test part
	threads  int
}

// read encodes the molecules, once for all trainings.
func (r ganRequest) read(ctx context.Context, threads int, seed uint64) (*ganSet, error) {
	texts, _, err := smiles.Texts(r.dataset.Path, "")
	if err != nil {
		return nil, settings.Misuse("experiment: %w", err)
	}
	if n := r.molecules; n > 0 && n < len(texts) {
		some := make([]string, n)
		for i := range some {
			some[i] = texts[i*len(texts)/n]
		}
		texts = some
	}
	s := &ganSet{ganRequest: r, name: tables.NameOf(r.dataset.Path), threads: threads}
	if s.Data, err = molgan.Read(ctx, r.toolkit, threads, molgan.QM9, texts, r.dropCharged); err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	s.parts = s.Split(seed)
	if len(s.parts.Train) < r.base.Batch || len(s.parts.Test) == 0 {
		return nil, settings.Misuse("experiment: %s has %d molecules, expected at least 20", s.name, len(s.Molecules))
	}
	h := sha256.New()
	for _, i := range s.parts.Train {
		h.Write(s.Molecules[i].Atoms)
		h.Write(s.Molecules[i].Bonds)
	}
	s.checksum = hex.EncodeToString(h.Sum(nil)[:16])
	test := lists.Map(s.parts.Test, func(i int32) molgan.Molecule { return s.Molecules[i] })
	judge := &molgan.Judge{Toolkit: r.toolkit, Space: s.Space, Threads: threads}
	s.test, err = judge.Scores(ctx, test)
	return s, err
}

// train trains a row and stores its generator in a folder.
func (s *ganSet) train(ctx context.Context, dir string, of ganSettings, w work) (ganResult, error) {
	out := ganResult{ganSettings: of}
	judge := &molgan.Judge{Toolkit: s.toolkit, Space: s.Space, Threads: s.threads}
	o := molgan.Options{Judge: judge, Threads: w.threads, OnIteration: func(done int, distance float64) {
		if done%20 == 0 || done == of.Iterations {
			w.onEpoch(train.EpochInfo{Epoch: done, TrainLoss: distance})
		}
	}}
	if w.checkpoint != nil {
		o.Dir, o.Resume = w.checkpoint.Dir, w.checkpoint.Resume
	}
	fail := func(err error) (ganResult, error) {
		return out, fmt.Errorf("experiment: molgan: %s, seed %d: %w", of.Row, of.Seed, err)
	}
	r, err := molgan.Train(ctx, s.Data, s.parts.Train, of.Config, o)
	if err != nil {
		return fail(err)
	}
	out.Points, out.Diverged, out.Seconds, out.Measuring, out.Calls = r.Points, r.Diverged, r.Seconds, r.Measuring, r.Calls
	folder := filepath.Join(dir, "generators", fmt.Sprintf("%s-%d", of.Row, of.Seed))
	if err := molgan.Save(folder, r.Generator, molgan.Settings{Space: s.Space, Config: of.Config, Data: s.name}); err != nil {
		return fail(err)
	}
	err = r.Generator.Generate(ctx, &molgan.Judge{Toolkit: s.toolkit, Space: s.Space, Threads: s.threads}, of.Seed, ganDrawn, func(m molgan.Score) error {
		out.Drawn = append(out.Drawn, m)
		return nil
	})
	if collapsed := new(molgan.ExhaustedError); err != nil && !errors.As(err, &collapsed) {
		return fail(err)
	}
	return out, nil
}
