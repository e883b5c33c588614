package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// Files of a run folder other than the files that package train writes.
const (
	ModelFile       = "model.safetensors"
	EnvironmentFile = "environment.json"
)

// PredictionsFile is the file of a run folder with the predictions for the test part, as CSV.
const PredictionsFile = "predictions.csv"

// settingsKey is the key of the settings, as JSON, in the metadata of the weights.
const settingsKey = "ehgnn.settings"

// thresholdsKey is the key of the threshold curve.
const thresholdsKey = "ehgnn.thresholds"

// lockDir makes a run folder and locks it: no other process may write to it until it is released.
func lockDir(dir string) (release func(), err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, settings.Usage(fmt.Errorf("run folder: %w", err))
	}
	release, err = atomicfile.Lock(dir)
	if held := (*atomicfile.HeldError)(nil); errors.As(err, &held) {
		return nil, settings.Misuse("%v; wait for it or choose another folder", err)
	}
	if err != nil {
		return nil, settings.Usage(fmt.Errorf("run folder: %w", err))
	}
	return release, nil
}

// prepareDir clears a locked run folder. It reports whether the folder already holds a run, which
// is an error unless the run is resumed.
func prepareDir(dir string, resume bool) (begun bool, err error) {
	_, err = os.Stat(filepath.Join(dir, settings.ConfigFile))
	begun = err == nil
	if begun && !resume {
		return begun, settings.Misuse("%s holds a run already; choose another folder, remove it, or continue it with --resume", dir)
	}
	// A process that was killed while it wrote a file leaves a hidden temporary file.
	if err := atomicfile.RemoveLeft(dir); err != nil {
		return begun, fmt.Errorf("run folder: %w", err)
	}
	return begun, nil
}
