package session

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/internal/auto"
	"github.com/ehgnn/ehgnn/internal/safetensors"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/model"
)

// keptFolder is the subfolder of a run folder with the learners of an unfinished training.
const keptFolder = "learners"

// keptLearners stores trained learners in files, from which an interrupted training continues.
type keptLearners struct{ dir, identity string }

// openKept makes the folder of kept learners.
func openKept(dir, identity string) (*keptLearners, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("run folder: %w", err)
	}
	return &keptLearners{dir, settings.Digest([]byte(identity))}, nil
}

func (k *keptLearners) path(name string) string {
	return filepath.Join(k.dir, strings.ReplaceAll(name, " ", "-")+".safetensors")
}

// keptText is the metadata of a kept learner.
type keptText struct {
	Identity string        `json:"identity"`
	Learner  model.Learner `json:"learner"`
	Steps    int           `json:"steps"`
	Stopped  bool          `json:"stopped,omitempty"`
	Seconds  float64       `json:"seconds"`
	Curve    []auto.Point  `json:"curve"`
}

const (
	keptKey        = "ehgnn.learner"
	keptPrediction = "prediction"
	keptPace       = "pace " // before a number
)

// Load reads a kept learner. A damaged learner, or one with other settings, is trained again.
func (k *keptLearners) Load(name string) (auto.Trained, bool) {
	f, err := safetensors.ReadFile(k.path(name))
	if err != nil {
		return auto.Trained{}, false
	}
	var text keptText
	if json.Unmarshal([]byte(f.Metadata[keptKey]), &text) != nil || text.Identity != k.identity {
		return auto.Trained{}, false
	}
	t := auto.Trained{Learner: text.Learner, Steps: text.Steps, Stopped: text.Stopped, Seconds: text.Seconds, Curve: text.Curve, Arrays: map[string][]float32{}}
	for _, a := range f.Tensors {
		switch {
		case a.Name == keptPrediction:
			t.Prediction = a.Data
		case strings.HasPrefix(a.Name, keptPace):
			t.Pace = append(t.Pace, a.Data)
		default:
			t.Arrays[a.Name] = a.Data
		}
	}
	return t, t.Prediction != nil
}

// Save writes a trained learner.
func (k *keptLearners) Save(name string, t auto.Trained) error {
	text := settings.MustJSON(keptText{k.identity, t.Learner, t.Steps, t.Stopped, t.Seconds, t.Curve})
	f := &safetensors.File{Metadata: map[string]string{keptKey: string(text)}}
	for _, name := range slices.Sorted(maps.Keys(t.Arrays)) {
		f.Tensors = append(f.Tensors, safetensors.Tensor{Name: name, Shape: []int{len(t.Arrays[name])}, Data: t.Arrays[name]})
	}
	f.Tensors = append(f.Tensors, safetensors.Tensor{Name: keptPrediction, Shape: []int{len(t.Prediction)}, Data: t.Prediction})
	for k, losses := range t.Pace {
		f.Tensors = append(f.Tensors, safetensors.Tensor{Name: keptPace + strconv.Itoa(k), Shape: []int{len(losses)}, Data: losses})
	}
	if err := safetensors.WriteFile(k.path(name), f); err != nil {
		return fmt.Errorf("run folder: %w", err)
	}
	return nil
}
