package task

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/goccy/go-yaml"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
)

// Files of a run folder besides those of package train.
const (
	configFile      = "config.yaml"
	modelFile       = "model.safetensors"
	predictionsFile = "predictions.csv"
	environmentFile = "environment.json"
)

// settingsKey is where the weights' metadata keep the settings, as JSON.
const settingsKey = "ehgnn.settings"

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// writeConfig writes the resolved settings as YAML. Keys are those of the JSON
// form.
func writeConfig(dir string, s Settings) error {
	text, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("task: settings: %w", err)
	}
	out, err := yaml.JSONToYAML(text)
	if err != nil {
		return fmt.Errorf("task: settings: %w", err)
	}
	return atomicfile.Write(filepath.Join(dir, configFile), func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "# Every setting of this run, resolved. Written by ehgnn.\n%s", out)
		return err
	})
}

func writeJSON(path string, v any) error {
	return atomicfile.Write(path, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(v)
	})
}

// prepareDir makes a run folder, refusing one that holds another run unless it
// is to be resumed.
func prepareDir(dir string, resume bool) error {
	if _, err := os.Stat(filepath.Join(dir, configFile)); err == nil && !resume {
		return misuse("task: %s holds a run already; choose another folder, remove it, or continue it with --resume", dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return usageError{fmt.Errorf("task: run folder: %w", err)}
	}
	return nil
}
