package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/plainyaml"
)

// ConfigFile is the file of settings in a run folder.
const ConfigFile = "config.yaml"

// WriteConfig writes the resolved settings as YAML, with the keys of their JSON form.
func WriteConfig(dir string, s Settings) error {
	text, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	out, err := toYAML(text)
	if err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	if len(out) > plainyaml.MaxBytes/2 {
		return Misuse("the settings take %d MiB, most of it categories of columns, expected less than %d; leave columns out with --ignore", len(out)>>20, plainyaml.MaxBytes>>21)
	}
	return atomicfile.Write(filepath.Join(dir, ConfigFile), func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "# Every setting of this run, resolved. Written by ehgnn.\n%s", out)
		return err
	})
}

// longNumber matches numbers with an exponent, such as 1e-07, or with many digits, and JSON strings, in which
// nothing must be replaced.
var longNumber = regexp.MustCompile(`"(?:\\.|[^"\\])*"|[-.\d]+e[-+]\d+|[-.\d]{19,}`)

// toYAML writes JSON as YAML. Numbers with an exponent, and whole numbers beyond 64 bits, get a decimal point:
// without it the YAML reader reads them as text.
func toYAML(text []byte) ([]byte, error) {
	text = longNumber.ReplaceAllFunc(text, pointed)
	var tree any
	if err := yaml.UnmarshalWithOptions(text, &tree, yaml.UseOrderedMap()); err != nil {
		return nil, err
	}
	return yaml.MarshalWithOptions(tree, yaml.CustomMarshaler(func(v float64) ([]byte, error) {
		return longNumber.ReplaceAllFunc(strconv.AppendFloat(nil, v, 'g', -1, 64), pointed), nil
	}), yaml.CustomMarshaler(func(v string) ([]byte, error) {
		// The YAML writer does not escape control characters, which YAML does not allow.
		if strings.ContainsFunc(v, func(r rune) bool { return unicode.IsControl(r) && r != '\n' }) {
			return json.Marshal(v)
		}
		return yaml.Marshal(v)
	}))
}

// pointed adds a decimal point to a match of longNumber that needs one and has none.
func pointed(number []byte) []byte {
	if number[0] == '"' || bytes.Contains(number, []byte(".")) {
		return number
	}
	if !bytes.Contains(number, []byte("e")) {
		_, negative := strconv.ParseInt(string(number), 10, 64)
		if _, err := strconv.ParseUint(string(number), 10, 64); err == nil || negative == nil {
			return number
		}
		return append(slices.Clone(number), ".0"...)
	}
	return bytes.Replace(number, []byte("e"), []byte(".0e"), 1)
}

// ReadConfig reads what WriteConfig wrote.
func ReadConfig(dir string) (s Settings, err error) {
	path := filepath.Join(dir, ConfigFile)
	text, err := plainyaml.ReadFile(path)
	if err != nil {
		return s, fmt.Errorf("run folder: %w", err)
	}
	if err := s.ParseYAML(text); err != nil {
		return s, fmt.Errorf("%s: %w", path, err)
	}
	if err := s.Train.Validate(); err != nil { // a new run has valid settings
		return s, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// ParseYAML reads settings as WriteConfig writes them.
func (s *Settings) ParseYAML(text []byte) error {
	plain, err := plainyaml.ToJSON(text)
	if err != nil {
		return err
	}
	return OtherKind(json.Unmarshal(plain, s))
}

// OtherKind rewrites decoder errors about a value of the wrong type and about an unknown key for
// users: the decoder's messages name Go types and JSON.
func OtherKind(err error) error {
	var e *json.UnmarshalTypeError
	if !errors.As(err, &e) {
		if err != nil {
			if key, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown {
				return fmt.Errorf("unknown key %s", key)
			}
		}
		return err
	}
	where := "the file"
	if key := strings.TrimPrefix(e.Field, "plain."); key != "" { // the type in Settings.UnmarshalJSON
		where = "key " + key
	}
	found, _, _ := strings.Cut(e.Value, " ") // a number out of range follows its kind
	if found = kindNames[found]; strings.HasPrefix(e.Value, "number ") {
		found = e.Value[len("number "):]
	}
	return fmt.Errorf("%s is %s, expected %s", where, found, kindOf(e.Type))
}

// kindNames maps the JSON decoder's names of values to words for users.
var kindNames = map[string]string{"array": "a list", "object": "a map of keys", "string": "text", "number": "a number", "bool": "true or false"}

// kindOf describes the values of a type in words.
func kindOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return kindOf(t.Elem())
	case reflect.Bool:
		return kindNames["bool"]
	case reflect.String:
		return kindNames["string"]
	case reflect.Slice, reflect.Array:
		return kindNames["array"]
	case reflect.Map, reflect.Struct:
		return kindNames["object"]
	case reflect.Float32, reflect.Float64:
		return kindNames["number"]
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number, 0 or more"
	}
	return "a whole number"
}
