package session

import (
	"cmp"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// LabelsFile is the file of a folder that has a run for each of several labels of the same edges or nodes.
const LabelsFile = "labels.json"

// LabelRun is the run of one label in such a folder.
type LabelRun struct {
	Label string `json:"label"`
	Dir   string `json:"dir"` // relative to the folder with LabelsFile; ReadLabelRuns returns it with this folder
}

// PerLabel returns a request and a run for each label, if Read returned err because the request has several labels of
// edges or nodes. A model reads the labels of one column, so each label has a run of its own, and the other labels are no
// features of it.
func PerLabel(r Request, err error) ([]Request, []LabelRun) {
	if !errors.Is(err, tables.ErrSeveralLabels) {
		return nil, nil
	}
	labels := tables.SplitLabels(r.text("label"))
	ignored, _ := r.Defaults.Over(r.Given)["ignore"].([]string)
	var requests []Request
	var runs []LabelRun
	for _, label := range labels {
		one := r
		others := lists.Filter(labels, func(l string) bool { return l != label })
		one.Given = r.Given.Over(settings.Values{"label": label, "ignore": slices.Concat(ignored, others)})
		dir := folderName(label)
		for slices.ContainsFunc(runs, func(r LabelRun) bool { return r.Dir == dir }) {
			dir += "_"
		}
		requests, runs = append(requests, one), append(runs, LabelRun{label, dir})
	}
	return requests, runs
}

// text is the value of a setting that is a text; empty if it is not given.
func (r Request) text(name string) string {
	text, _ := r.Defaults.Over(r.Given)[name].(string)
	return text
}

// folderName is a name without characters that a folder cannot have on all systems.
func folderName(name string) string {
	return cmp.Or(strings.Map(func(c rune) rune {
		if c < ' ' || strings.ContainsRune(`/\:*?"<>|`, c) {
			return '_'
		}
		return c
	}, strings.Trim(name, ". ")), "_")
}

// BeginLabelRuns makes a folder with a list of runs. A folder with runs of the same labels is used again if the training is
// resumed; other runs in the folder are an error.
func BeginLabelRuns(dir string, runs []LabelRun, resume bool) error {
	begun, err := ReadLabelRuns(dir)
	if err != nil {
		return err
	}
	labels := func(runs []LabelRun) []string { return lists.Map(runs, func(r LabelRun) string { return r.Label }) }
	switch _, err := os.Stat(filepath.Join(dir, settings.ConfigFile)); {
	case err == nil:
		return settings.Misuse("%s holds a run of one label already; choose another folder or remove it", dir)
	case begun != nil && !resume:
		return settings.Misuse("%s holds runs already; choose another folder, remove it, or continue them with --resume", dir)
	case begun != nil && !slices.Equal(labels(begun), labels(runs)):
		return settings.Misuse("the labels are %q, and %s was begun with %q", labels(runs), dir, labels(begun))
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return settings.Usage(err)
	}
	return atomicfile.WriteJSON(filepath.Join(dir, LabelsFile), map[string]any{"runs": runs})
}

// HasLabelRuns reports whether a folder has a run for each of several labels.
func HasLabelRuns(dir string) bool {
	runs, _ := ReadLabelRuns(dir)
	return runs != nil
}

// ReadLabelRuns returns the runs of a folder that has a run for each label; nil for another folder.
func ReadLabelRuns(dir string) ([]LabelRun, error) {
	path := filepath.Join(dir, LabelsFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil // the folder has no such runs, or reading a run reports why it cannot be read
	}
	var list struct{ Runs []LabelRun }
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, settings.Misuse("%s: %w", path, err)
	}
	if len(list.Runs) == 0 {
		return nil, settings.Misuse("%s has no runs", path)
	}
	for i, r := range list.Runs {
		if !filepath.IsLocal(r.Dir) {
			return nil, settings.Misuse("%s: the folder %q of label %q is not within the folder", path, r.Dir, r.Label)
		}
		list.Runs[i].Dir = filepath.Join(dir, r.Dir)
	}
	return list.Runs, nil
}

// NameDirs names the folders of runs in an error.
func NameDirs(runs []LabelRun) string {
	return strings.Join(lists.Map(runs, func(r LabelRun) string { return r.Dir }), ", ")
}
