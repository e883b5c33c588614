package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/generate/score"
)

// optimiseFiles is the folder of optimise: settings.json and scores.jsonl, to which lines are appended.
type optimiseFiles struct {
	dir      string
	identity string // of the settings
	scores   *atomicfile.Lines
}

// scoreLine is a line of scores.jsonl.
type scoreLine struct {
	SMILES string    `json:"smiles"`
	Values []float64 `json:"values"`
}

// openOptimiseFiles opens the file of scores, and gives a set the stored values. The folder must be
// new or have the same settings.
func openOptimiseFiles(dir string, of any, set *score.Set) (f *optimiseFiles, err error) {
	text, err := json.MarshalIndent(of, "", "  ")
	if err != nil {
		return nil, err
	}
	f = &optimiseFiles{dir: dir, identity: string(text)}
	settings := filepath.Join(dir, "settings.json")
	have, err := os.ReadFile(settings)
	switch {
	case os.IsNotExist(err):
		err = atomicfile.WriteBytes(settings, text)
	case err == nil && string(have) != f.identity:
		return nil, usage(fmt.Errorf("%s has a run of other settings (settings.json); %s", dir, otherOut))
	}
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "scores.jsonl")
	if f.scores, err = atomicfile.OpenLines(path, atomicfile.KeepAll); err != nil {
		return nil, err
	}
	if err := remember(path, set); err != nil {
		f.close()
		return nil, err
	}
	set.OnScore = func(smiles []string, values [][]float64) error {
		for i, s := range smiles {
			if err := f.scores.Append(scoreLine{s, values[i]}); err != nil {
				return err
			}
		}
		return nil
	}
	return f, nil
}

// remember reads scores.jsonl.
func remember(path string, set *score.Set) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 8*chem.MaxSMILES)
	for n := 1; lines.Scan(); n++ {
		var l scoreLine
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return fmt.Errorf("%s: line %d: %w", path, n, err)
		}
		if err := set.Remember(l.SMILES, l.Values); err != nil {
			return fmt.Errorf("%s: line %d: %w", path, n, err)
		}
	}
	return lines.Err()
}

func (f *optimiseFiles) close() { f.scores.Close() }
