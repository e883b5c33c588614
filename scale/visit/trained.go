package visit

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/scale/store"
)

// Trained is the run of a job.
type Trained struct {
	Run     *session.Run
	Program Program
	Weights []byte // content of RUN/model.safetensors, for Decode
	Sum     string // SHA-256 of Weights
}

// OpenRun reads the run of a job from its folder. If an error is not about reading a file,
// settings.IsUsage recognises it.
func OpenRun(dir string) (*Trained, error) {
	t := &Trained{}
	var err error
	if t.Run, err = session.LoadRun(dir); err != nil {
		return nil, settings.Misuse("%w", err)
	}
	if t.Program, err = Compile(t.Run); err != nil {
		return nil, settings.Misuse("%s: %w", dir, err)
	}
	if t.Weights, err = os.ReadFile(filepath.Join(dir, "model.safetensors")); err != nil {
		return nil, fmt.Errorf("visit: %w", err)
	}
	sum := sha256.Sum256(t.Weights)
	t.Sum = hex.EncodeToString(sum[:])
	return t, nil
}

// Writes returns an error if the run cannot read the store, or if its model does not compute the
// vectors to write.
func (t *Trained) Writes(what string, m *store.Manifest) error {
	if err := Check(t.Run, m); err != nil {
		return err
	}
	if what == NodeVectors && t.Program.NodeVectors() == 0 {
		return settings.Misuse("visit: model %s learns no vectors of nodes; it learns those of edges", t.Run.Settings.ModelName)
	}
	return nil
}
