package fetch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
)

// recordFile is the file with the checksums of first downloads.
const recordFile = "checksums.json"

// records are the checksums of earlier downloads, by URL.
type records struct {
	path string
	sums map[string]string
}

func readRecords(dir string) (*records, error) {
	r := &records{path: filepath.Join(dir, recordFile), sums: map[string]string{}}
	text, err := os.ReadFile(r.path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &r.sums)
	}
	if r.sums == nil { // after reading the document "null"
		r.sums = map[string]string{}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.path, err)
	}
	return r, nil
}

// add records the files whose checksums were not known before.
func (r *records) add(files []Fetched) error {
	changed := false
	for _, f := range files {
		if f.Checked == "first" && r.sums[f.URL] != f.SHA256 {
			r.sums[f.URL], changed = f.SHA256, true
		}
	}
	if !changed {
		return nil
	}
	return atomicfile.WriteJSON(r.path, r.sums)
}
