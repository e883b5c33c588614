// Package plainyaml reads untrusted YAML. The memory and time of the parser grow with the square of
// the depth and of the number of keys in a map, so both are limited before it runs, like the size.
// Aliases, which multiply content, are an error; settings do not need them.
package plainyaml

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// Limits of a text.
const (
	MaxBytes = 16 << 20
	maxDepth = 64
	maxKeys  = 1024 // in a map
)

// ReadFile reads a file of at most MaxBytes.
func ReadFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err != nil {
		return nil, err
	}
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("%s is larger than %d MiB, which settings are not", path, MaxBytes>>20)
	}
	return text, nil
}

// SyntaxError is the error of a text that is not YAML, or not the expected YAML. Its message has
// several lines, which quote the position.
type SyntaxError struct{ excerpt string }

func (e *SyntaxError) Error() string { return e.excerpt }

// byteOrderMark is the beginning of texts from some Windows editors.
var byteOrderMark = []byte("\ufeff")

// Unmarshal decodes a text into v. It skips a byte order mark at the beginning.
func Unmarshal(text []byte, v any) error {
	text = bytes.TrimPrefix(text, byteOrderMark)
	if err := check(text); err != nil {
		return err
	}
	if err := yaml.Unmarshal(text, v); err != nil {
		return &SyntaxError{strings.TrimRight(yaml.FormatError(err, false, true), "\n ")}
	}
	return nil
}

// ToJSON returns the text as JSON.
func ToJSON(text []byte) ([]byte, error) {
	// The library's YAMLToJSON writes control characters in a way that is not valid JSON.
	var v any
	if err := Unmarshal(text, &v); err != nil {
		return nil, err
	}
	return json.Marshal(v)
}

// check returns an error if a text exceeds the limits.
func check(text []byte) error {
	if len(text) > MaxBytes {
		return fmt.Errorf("%d bytes, expected at most %d MiB of YAML", len(text), MaxBytes>>20)
	}
	if i := bytes.IndexFunc(text, func(r rune) bool { return r < ' ' && r != '\n' && r != '\r' && r != '\t' }); i >= 0 {
		return fmt.Errorf("line %d: a control character, expected YAML", 1+bytes.Count(text[:i], []byte("\n")))
	}
	// Open collections, outermost first. Those in brackets have column 0.
	type collection struct{ column, keys int }
	var open []collection
	close := func(column int) { // in block style, indentation ends collections
		for len(open) > 0 && open[len(open)-1].column > column {
			open = open[:len(open)-1]
		}
	}
	var before *token.Token
	for _, t := range lexer.Tokenize(string(text)) {
		line := t.Position.Line
		flow := false
		for _, c := range open {
			flow = flow || c.column == 0
		}
		switch t.Type {
		case token.AnchorType, token.AliasType, token.MergeKeyType:
			return fmt.Errorf("line %d: %q, expected YAML without anchors and aliases", line, t.Value)
		case token.SequenceStartType, token.MappingStartType:
			open = append(open, collection{})
		case token.SequenceEndType, token.MappingEndType:
			for len(open) > 0 {
				last := open[len(open)-1]
				open = open[:len(open)-1]
				if last.column == 0 {
					break
				}
			}
		case token.SequenceEntryType:
			if !flow {
				column := 2*t.Position.Column - 1 // a list may be in the same column as its key
				close(column)
				if len(open) == 0 || open[len(open)-1].column != column {
					open = append(open, collection{column: column})
				}
			}
		case token.MappingValueType:
			if !flow && before != nil {
				column := 2 * before.Position.Column
				close(column)
				if len(open) == 0 || open[len(open)-1].column != column {
					open = append(open, collection{column: column})
				}
			}
			if len(open) > 0 {
				last := &open[len(open)-1]
				if last.keys++; last.keys > maxKeys {
					return fmt.Errorf("line %d: a map of more than %d keys, which settings do not have", line, maxKeys)
				}
			}
		}
		if len(open) > maxDepth {
			return fmt.Errorf("line %d: collections in collections more than %d deep, which settings are not", line, maxDepth)
		}
		before = t
	}
	return nil
}
