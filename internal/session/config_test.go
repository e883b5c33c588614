package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/train"
)

// A setting of a wrong type is refused with its key and the expected type in words.
func TestConfigOfAnotherKind(t *testing.T) {
	spec, err := model.Find("gcn")
	if err != nil {
		t.Fatal(err)
	}
	s := settings.Settings{Version: settings.SettingsVersion, Task: "graph-classification", ModelName: "gcn", Model: spec.Config(), Train: train.Config{Epochs: 1}}
	s.Model.Default("hidden", 8)
	dir := t.TempDir()
	if err := settings.WriteConfig(dir, s); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, settings.ConfigFile)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ old, new, want string }{
		{"", "- a\n- b\n", "the file is a list, expected a map of keys"},
		{"", "some words\n", "the file is text, expected a map of keys"},
		{"", "5\n", "the file is a number, expected a map of keys"},
		{"\n  epochs: ", "\n  epochs: many #", "key train.epochs is text, expected a whole number"},
		{"\n  epochs: ", "\n  epochs: 1.5 #", "key train.epochs is 1.5, expected a whole number"},
		{"\n  lr: ", "\n  lr: [1] #", "key train.lr is a list, expected a number"},
		{"\n  hidden: ", "\n  hidden: many #", "key model.hidden is text, expected a whole number"},
		{"\n    name: ", "\n    name: true #", "key train.optimizer.name is true or false, expected text"},
		{"\nmodel_name: ", "\nmodel_name: 3 #", "key model_name is a number, expected text"},
		{"\ntask: ", "\ntypo: 3\ntask: ", `unknown key "typo"`},
	} {
		text := test.new
		if test.old != "" {
			if text = strings.Replace(string(whole), test.old, test.new, 1); text == string(whole) {
				t.Fatalf("there is no %q in\n%s", test.old, whole)
			}
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := ReadRun(dir)
		if err == nil || !settings.IsUsage(err) || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "json") {
			t.Errorf("%q: error %v, want %q", test.new, err, test.want)
		}
	}
}
