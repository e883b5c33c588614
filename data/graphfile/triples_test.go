package graphfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/graphfile"
)

func TestTriples(t *testing.T) {
	for _, tt := range []struct {
		name, file, text string
		edges, notes     string
	}{
		{"Freebase", "fb.txt", "/m/01\t/film/actor\t/m/02\n/m/02\t/film/actor\t/m/03\n/m/03\t/born/in\t/m/01\n",
			"source|target|relation\n1: /m/01|/m/02|/film/actor\n2: /m/02|/m/03|/film/actor\n3: /m/03|/m/01|/born/in", ""},
		{"WordNet, whose ids are numbers", "wn.tsv", "00260881\t_hypernym\t00260622\n01332730\t_form\t03122748\n06066555\t_hypernym\t00645415\n",
			"source|target|relation\n1: 00260881|00260622|_hypernym\n2: 01332730|03122748|_form\n3: 06066555|00645415|_hypernym", ""},
		{"the relation last", "l.txt", "ann\tbob\tlikes\nbob\teve\tknows\neve\tann\tlikes\n",
			"source|target|relation\n1: ann|bob|likes\n2: bob|eve|knows\n3: eve|ann|likes", ""},
		{"a date", "ic.txt", "Peru\tvisits\tChile\t2014-05-13\nChile\tvisits\tPeru\t2014-05-14\n",
			"source|target|relation|time\n1: Peru|Chile|visits|2014-05-13\n2: Chile|Peru|visits|2014-05-14", ""},
		{"an id with #", "h.txt", "a\ttags\t#b\nc\ttags\ta\n#b\ttags\ta\n", "source|target|relation\n1: a|#b|tags\n2: c|a|tags\n3: #b|a|tags", ""},
		{"N-Triples", "g.nt", "# people\n<http://x/a> <http://x/knows> _:b1 .\n_:b1 <http://x/knows> <http://x/a>.\n<http://x/a> <http://x/name> \"Ann .\"@en .\n",
			"source|target|relation\n2: http://x/a|_:b1|http://x/knows\n3: _:b1|http://x/a|http://x/knows",
			"triples whose object is a literal and no node are left out: 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			check(t, tt.file, tt.text, want{format: "triples", directed: data.Directed, edges: tt.edges, notes: tt.notes})
		})
	}
}

func TestTriplesErrors(t *testing.T) {
	for _, tt := range []struct{ name, text, message string }{
		{"no relations", "a\tb\tc\nd\te\tf\n", "t.txt: has no triples that can be told apart: expected lines of head, relation and tail between tabs, without a header and with fewer relations than heads and tails"},
		{"N-Quads", "<a> <r> <b> .\n" + strings.Repeat("<a> <r> <c> .\n", 20) + "<a> <r> <b> <g> .\n",
			"t.txt:22: has a value behind the triple, expected a full stop; the graphs of N-Quads are not read"},
	} {
		t.Run(tt.name, func(t *testing.T) { refuses(t, "t.txt", tt.text, "triples", tt.message) })
	}
}

// folder writes files into a new folder.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestTripleParts(t *testing.T) {
	train := "a\tr\tb\nb\ts\tc\nc\tr\ta\n"
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"three", map[string]string{"train.txt": train, "valid.txt": "a\tr\tc\n", "test.txt": "b\tr\ta\nc\ts\tb\n", "entities.dict": "0\ta\n", "old_test.txt": "x"},
			"source|target|relation|part\n1: a|b|r|train\n2: b|c|s|train\n3: c|a|r|train\n1: a|c|r|valid\n1: b|a|r|test\n2: c|b|s|test"},
		{"dev, prefixes and gzip", map[string]string{"wn-train.tsv.gz": zipped(t, train), "wn-dev.tsv": "a\tr\tc\n"},
			"source|target|relation|part\n1: a|b|r|train\n2: b|c|s|train\n3: c|a|r|train\n1: a|c|r|valid"},
		{"numbers", map[string]string{"train": "1\t0\t2\n2\t0\t3\n3\t1\t1\n4\t1\t4\n", "test": "1\t0\t3\n"},
			"source|target|relation|part\n1: 1|2|0|train\n2: 2|3|0|train\n3: 3|1|1|train\n4: 4|4|1|train\n1: 1|3|0|test"},
		{"N-Triples", map[string]string{"train.nt": "<a> <r> <b> .\n", "test.nt": "<b> <r> <a> .\n"},
			"source|target|relation|part\n1: a|b|r|train\n1: b|a|r|test"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := folder(t, tt.files)
			format, ok := graphfile.Recognise(dir)
			if !ok || format != "triples" {
				t.Fatalf("Recognise is %q, %v", format, ok)
			}
			g, err := graphfile.Open(dir, "", data.NewBudget(0))
			if err != nil {
				t.Fatal(err)
			}
			if got := tableOf(t, g.Edges); got != tt.want {
				t.Errorf("got\n%s\nexpected\n%s", got, tt.want)
			}
			if g.Part != "part" || g.Label != "relation" || g.Directed != data.Directed || g.Nodes != nil {
				t.Errorf("graph is %+v", g)
			}
		})
	}
}

func TestTriplePartsErrors(t *testing.T) {
	train := "a\tr\tb\nb\ts\tc\nc\tr\ta\n"
	for _, tt := range []struct {
		name    string
		files   map[string]string
		message string
	}{
		{"a part in another form", map[string]string{"train.txt": train, "test.txt": "a\tr\n"}, "test.txt:1: number of values between tabs is 2, expected 3 as on the first lines"},
		{"an empty value", map[string]string{"train.txt": train, "test.txt": "\tr\ta\n"}, "test.txt:1: the head is empty"},
		{"a damaged part", map[string]string{"train.txt": train, "test.txt.gz": "\x1f\x8bxx"}, "test.txt.gz: cannot be unpacked: unexpected EOF"},
		{"a part twice", map[string]string{"train.txt": train, "test.txt": train, "test.tsv": train}, "DIR: cannot be read as triples: several files of the part test: test.tsv and test.txt; leave one"},
		{"no part of training", map[string]string{"test.txt": train, "valid.txt": train}, "DIR: cannot be read as triples: has no files train.txt and valid.txt or test.txt of triples"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := folder(t, tt.files)
			err := readAll(dir, "triples", data.NewBudget(0))
			want := strings.ReplaceAll(tt.message, "DIR", filepath.Base(dir))
			if err == nil || err.Error() != want {
				t.Errorf("error %v, expected %s", err, want)
			}
		})
	}
}
