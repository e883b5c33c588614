package train

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/safetensors"
)

// stateVersion changes if a checkpoint of the old form can no longer be resumed.
const stateVersion = 1

// Keys of a checkpoint's metadata.
const (
	stateKey  = "train.state"
	digestKey = "train.digest"
)

// state is the content of a checkpoint besides tensors.
type state struct {
	Version int             `json:"version"`
	Run     json.RawMessage `json:"run"` // an identity, possibly of an earlier version
	progress
	OptimizerSteps []int64 `json:"optimizer_steps"`
}

// identity is everything that the numbers of a run depend on: two runs with equal identities have
// the same states.
type identity struct {
	Config Config   `json:"config"`
	Train  dataSize `json:"train"`
	Valid  dataSize `json:"valid"`
	Caller string   `json:"identity"` // Checkpoint.Identity
}

type dataSize struct {
	Graphs int `json:"graphs"`
	Nodes  int `json:"nodes"`
	Edges  int `json:"edges"`
}

func sizeOf(graphs []*graph.Graph) dataSize {
	s := dataSize{Graphs: len(graphs)}
	for _, g := range graphs {
		s.Nodes += g.NumNodes
		s.Edges += g.NumEdges()
	}
	return s
}

// identity returns the identity of the run.
func (r *run) identity() identity {
	cfg := r.cfg
	if cfg.Schedule.Name != cosineSchedule {
		cfg.Epochs = 0 // a longer run starts with the same numbers
	}
	id := identity{Config: cfg}
	id.Train, id.Valid = r.data.sizes()
	if c := r.opts.Checkpoint; c != nil {
		id.Caller = c.Identity
	}
	return id
}

// text returns the identity as JSON.
func (id identity) text() json.RawMessage {
	text, err := json.Marshal(id)
	if err != nil {
		panic(err) // not possible: its numbers are validated to be finite
	}
	return text
}

// differs returns an error that lists the differences between the identity of a checkpoint and that
// of the run to resume. A missing setting equals one with a zero value: a version added or removed
// it.
func differs(saved, now json.RawMessage) error {
	was, is := flatten(saved), flatten(now)
	keys := maps.Clone(was)
	maps.Copy(keys, is)
	var out []string
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		a, b := was[key], is[key]
		if a == b || isZero(a) && isZero(b) {
			continue
		}
		out = append(out, fmt.Sprintf("%s is %s in the checkpoint and %s now", key, cmp.Or(a, "missing"), cmp.Or(b, "missing")))
	}
	if out == nil {
		return nil
	}
	return fmt.Errorf("the checkpoint belongs to another run: %s", strings.Join(out, "; "))
}

// isZero reports whether a JSON value is a zero value or missing.
func isZero(text string) bool {
	return slices.Contains([]string{"", "0", "false", `""`, "null", "[]", "{}"}, text)
}

// flatten lists the settings of an identity as JSON, by dotted names. If a string holds a JSON
// object, the fields of that object are listed.
func flatten(text json.RawMessage) map[string]string {
	out := map[string]string{}
	var walk func(prefix string, text json.RawMessage)
	walk = func(prefix string, text json.RawMessage) {
		object := text
		var inner string
		if json.Unmarshal(text, &inner) == nil {
			object = json.RawMessage(inner)
		}
		var fields map[string]json.RawMessage
		if json.Unmarshal(object, &fields) != nil || fields == nil {
			out[prefix] = string(text)
			return
		}
		for name, value := range fields {
			walk(strings.TrimPrefix(prefix+"."+name, "."), value)
		}
	}
	walk("", text)
	return out
}

// digest is a checksum over state and tensors. It reveals a damaged file.
func digest(state []byte, tensors []safetensors.Tensor) string {
	sorted := slices.SortedFunc(slices.Values(tensors), func(a, b safetensors.Tensor) int {
		return strings.Compare(a.Name, b.Name)
	})
	h := sha256.New()
	h.Write(state)
	var buf [1 << 14]byte
	for _, t := range sorted {
		fmt.Fprintf(h, "\n%q %v\n", t.Name, t.Shape)
		for part := range slices.Chunk(t.Data, len(buf)/4) {
			for i, v := range part {
				binary.LittleEndian.PutUint32(buf[4*i:], math.Float32bits(v))
			}
			h.Write(buf[:4*len(part)])
		}
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// readState checks the digest of a checkpoint and decodes its state.
func readState(f *safetensors.File) (*state, error) {
	text, ok := f.Metadata[stateKey]
	if !ok {
		return nil, fmt.Errorf("the file is not a checkpoint: its metadata has no %s", stateKey)
	}
	if sum := digest([]byte(text), f.Tensors); sum != f.Metadata[digestKey] {
		return nil, fmt.Errorf("the checkpoint is damaged: its digest is %s, expected %s", sum, f.Metadata[digestKey])
	}
	return decodeState([]byte(text))
}

func decodeState(text []byte) (*state, error) {
	var version struct{ Version int }
	if err := json.Unmarshal(text, &version); err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	if version.Version != stateVersion {
		return nil, fmt.Errorf("state: version %d, expected %d", version.Version, stateVersion)
	}
	s := &state{}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(s); err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	return s, nil
}

// check returns an error for a state that is impossible with this number of steps per epoch and of
// groups of parameters.
func (s *state) check(perEpoch, groups int) error {
	switch {
	case s.Epoch < 0 || s.Epoch > math.MaxInt/perEpoch-1:
		return fmt.Errorf("state: epoch is %d", s.Epoch)
	case s.Step < s.Epoch*perEpoch || s.Step > (s.Epoch+1)*perEpoch:
		return fmt.Errorf("state: step %d after epoch %d, expected %d to %d", s.Step, s.Epoch, s.Epoch*perEpoch, (s.Epoch+1)*perEpoch)
	case len(s.History) != s.Epoch:
		return fmt.Errorf("state: the history has %d epochs, expected %d", len(s.History), s.Epoch)
	case s.BestEpoch < 0 || s.BestEpoch > s.Epoch:
		return fmt.Errorf("state: best_epoch is %d, expected 0 to %d", s.BestEpoch, s.Epoch)
	case s.Counter < 0 || s.Counter > s.Epoch:
		return fmt.Errorf("state: counter is %d, expected 0 to %d", s.Counter, s.Epoch)
	case s.Groups != nil && len(s.Groups) != groups:
		return fmt.Errorf("state: early stopping of %d groups of parameters, expected %d", len(s.Groups), groups)
	case s.Stopped != "" && s.Stopped != StoppedEpochs && s.Stopped != StoppedPatience:
		return fmt.Errorf("state: stopped is %q", s.Stopped)
	}
	for i, e := range s.History {
		if e.Epoch != i+1 {
			return errors.New("state: the history is not in order")
		}
	}
	return nil
}
