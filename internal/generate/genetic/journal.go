package genetic

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/generate/operator"
	"github.com/ehgnn/ehgnn/internal/generate/surrogate"
	"github.com/ehgnn/ehgnn/internal/par"
)

// line is a round in the journal.
type line struct {
	Round int `json:"round"`
	Used  int `json:"used"` // molecules of the start list that are used so far
	surrogate.Kernel
	SMILES []string    `json:"smiles,omitempty"`
	Values [][]float64 `json:"values,omitempty"`
	// Choices are the drawn bonds of the parents of each molecule, if a network learns from them.
	Choices [][]operator.Choice `json:"choices,omitempty"`
}

// journal writes rounds to a file. Without a file it writes nothing.
type journal struct{ lines *atomicfile.Lines }

// openJournal opens the journal at path and returns its complete lines.
func openJournal(path string) (*journal, []line, error) {
	if path == "" {
		return &journal{}, nil, nil
	}
	lines, err := atomicfile.OpenLines(path, atomicfile.KeepAll)
	if err != nil {
		return nil, nil, err
	}
	text, err := os.ReadFile(path)
	if err == nil {
		var have []line
		if have, err = readLines(path, text); err == nil {
			return &journal{lines}, have, nil
		}
	}
	lines.Close()
	return nil, nil, err
}

func readLines(path string, text []byte) (out []line, err error) {
	in := bufio.NewReader(bytes.NewReader(text))
	for n := 1; ; n++ {
		one, err := in.ReadBytes('\n')
		if err == io.EOF {
			return out, nil
		}
		var l line
		if err := json.Unmarshal(one, &l); err != nil {
			return nil, fmt.Errorf("genetic: %s: line %d: %w", path, n, err)
		}
		if l.Round != n-1 || len(l.SMILES) != len(l.Values) || l.Used < 0 {
			return nil, fmt.Errorf("genetic: %s: line %d: round %d has %d molecules with %d scores, expected round %d and a score of each", path, n, l.Round, len(l.SMILES), len(l.Values), n-1)
		}
		out = append(out, l)
	}
}

func (j *journal) append(l line) error {
	if j.lines == nil {
		return nil
	}
	return j.lines.Append(l)
}

func (j *journal) close() {
	if j.lines != nil {
		j.lines.Close()
	}
}

// replay adds the molecules of lines to the pool.
func (s *search) replay(ctx context.Context, lines []line) error {
	for _, l := range lines {
		if err := cmp.Or(s.propose(ctx), s.checkChoices(l)); err != nil {
			return err
		}
		graphs, err := par.Map(ctx, s.config.Threads, l.SMILES, s.known)
		if err != nil {
			return err
		}
		for i, g := range graphs {
			if g.err != nil {
				return fmt.Errorf("genetic: the journal has %s: %w", l.SMILES[i], g.err)
			}
			if s.pool.has(l.SMILES[i]) || slices.Contains(l.SMILES[:i], l.SMILES[i]) {
				return fmt.Errorf("genetic: the journal has %s twice", l.SMILES[i])
			}
			if n := s.parts(l); len(l.Values[i]) != n {
				return fmt.Errorf("genetic: the journal has %d scores of %s, expected %d", len(l.Values[i]), l.SMILES[i], n)
			}
		}
		if err := s.enter(l, graphs); err != nil {
			return err
		}
	}
	return nil
}
