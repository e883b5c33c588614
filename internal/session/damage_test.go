package session

import (
	le "encoding/binary"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/safetensors"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/testsets"
)

// Weights that are damaged, or belong to another run, are refused, wherever they differ.
func TestDamagedWeights(t *testing.T) {
	path := filepath.Join("..", "..", "testdata", "sets", "RINGS")
	dir, _ := trained(t, Request{Path: path, Model: "hyperdrop", Given: quick()})
	other, _ := trained(t, Request{Path: path, Model: "gcn", Given: quick()})
	file := filepath.Join(dir, ModelFile)
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := os.ReadFile(filepath.Join(other, ModelFile))
	if err != nil {
		t.Fatal(err)
	}
	header := 8 + int(le.LittleEndian.Uint64(good))
	for name, test := range map[string]struct {
		text []byte
		want string
	}{
		"a bit":         {changed(good, func(b []byte) { b[len(b)-3] ^= 1 }), "are damaged: their digest is"},
		"zeroed":        {changed(good, func(b []byte) { clear(b[header:]) }), "are damaged: their digest is"},
		"NaN":           {changed(good, func(b []byte) { copy(b[len(b)-4:], "\x00\x00\xc0\x7f") }), "are damaged"},
		"settings":      {[]byte(strings.Replace(string(good), `\"hidden\":16`, `\"hidden\":17`, 1)), "are damaged: their digest is"},
		"cut":           {good[:len(good)-5], "safetensors"},
		"another model": {foreign, "the weights in model.safetensors are those of another run: "},
	} {
		if slices.Equal(test.text, good) {
			t.Fatalf("%s: nothing is damaged", name)
		}
		if err := os.WriteFile(file, test.text, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Load(t.Context(), dir, source.LoadOptions{})
		testsets.Fails(t, err, test.want)
		if !settings.IsUsage(err) {
			t.Errorf("%s: %v is no error of the input", name, err)
		}
	}
	if err := os.WriteFile(file, good, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(t.Context(), dir, source.LoadOptions{}); err != nil {
		t.Error(err)
	}
}

// Weights without a digest, as other programs write them, are refused if a value is not finite.
func TestWeightsNotFinite(t *testing.T) {
	dir, _ := trained(t, Request{Path: filepath.Join("..", "..", "testdata", "sets", "RINGS"), Model: "gcn", Given: quick()})
	file := filepath.Join(dir, ModelFile)
	f, err := safetensors.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	delete(f.Metadata, "ehgnn.digest")
	if err := safetensors.WriteFile(file, f); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, changed(good, func(b []byte) { copy(b[len(b)-4:], "\x00\x00\xc0\x7f") }), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = LoadRun(dir)
	testsets.Fails(t, err, "is NaN")
}

func changed(text []byte, change func([]byte)) []byte {
	out := slices.Clone(text)
	change(out)
	return out
}

// A run that is read from its weights alone equals the run that is read from its folder.
func TestDecodeRun(t *testing.T) {
	dir, _ := trained(t, Request{Path: testsets.Transactions(t, 60, 300, nil), Model: "mlp-edge", Given: settings.Values{"epochs": 1}})
	want, err := LoadRun(dir)
	if err != nil {
		t.Fatal(err)
	}
	weights, err := os.ReadFile(filepath.Join(dir, ModelFile))
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeRun(weights)
	if err != nil {
		t.Fatal(err)
	}
	if got.Settings.Data.Path+got.Settings.Data.FromRun != "" || want.Settings.Data.Path == "" {
		t.Errorf("the weights name the data %s, the run %s", got.Settings.Data.Path, want.Settings.Data.Path)
	}
	got.Settings.Data.Path, got.Settings.Data.FromRun = want.Settings.Data.Path, want.Settings.Data.FromRun
	if !reflect.DeepEqual(got.Settings, want.Settings) {
		t.Errorf("settings %+v, want %+v", got.Settings, want.Settings)
	}
	for i, p := range want.Model.Params() {
		if q := got.Model.Params()[i]; q.Name != p.Name || !slices.Equal(q.Value.Data(), p.Value.Data()) {
			t.Errorf("parameter %s differs from %s", q.Name, p.Name)
		}
	}
	for _, n := range []int{0, 20, len(weights) - 1} {
		if _, err := DecodeRun(weights[:n]); err == nil {
			t.Errorf("the first %d of %d bytes are taken for a run", n, len(weights))
		}
	}
}
