//go:build rdkit

package cli_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/cli"
)

// servingHere runs serve in this process, because the program that tests build lacks RDKit. It ends
// with the test.
func servingHere(t *testing.T, args ...string) (address string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	in, out := io.Pipe()
	var errs strings.Builder
	done := make(chan int, 1)
	go func() {
		code := cli.Main(ctx, cli.State{Args: append([]string{"serve", "--addr", "127.0.0.1:0", "--threads", "1", "--log-level", "warn"}, args...), Stdout: out, Stderr: &errs})
		out.Close()
		done <- code
	}()
	line, err := bufio.NewReader(in).ReadString('\n')
	t.Cleanup(func() {
		cancel()
		if code := <-done; code != cli.ExitOK || t.Failed() {
			t.Errorf("serve: exit code %d, %s", code, &errs)
		}
	})
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "serving ")
	if err != nil || !ok {
		t.Fatalf("serve prints %q, %v", line, err)
	}
	return address
}

// Runs on SMILES accept SMILES over HTTP, and their answers equal those of the command. An invalid
// one is refused with its place, other molecules of the request are answered, and the server
// continues.
func TestServeMolecules(t *testing.T) {
	var b strings.Builder
	b.WriteString("smiles,amine\n")
	for i := range 40 {
		chain := strings.Repeat("C", 1+i%8)
		fmt.Fprintf(&b, "%sO%s,0\n%sN%s,1\n", chain, strings.Repeat("C", i/8), chain, strings.Repeat("C", i/8))
	}
	path, run := filepath.Join(t.TempDir(), "amines.csv"), filepath.Join(t.TempDir(), "amines")
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	succeed(t, "train", path, "--out", run, "--epochs", "3", "--hidden", "8", "--seed", "2", "--quiet")
	address := servingHere(t, run)
	type prediction struct {
		ID            string
		Probabilities map[string]float64
		Line          int
		Error         *struct{ Detail, Pointer string }
	}
	post := func(route, kind, body string) (int, string) {
		t.Helper()
		r, err := http.Post(address+"/v1/models/amines/"+route, kind, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return r.StatusCode, string(text)
	}

	// JSON, compared with the command.
	fresh := filepath.Join(t.TempDir(), "new.csv")
	if err := os.WriteFile(fresh, []byte("smiles\nCCN\nc1ccccc1O\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	rows := table(t, succeed(t, "predict", run, fresh))
	status, text := post("predict", "application/json", `{"graphs":[{"smiles":"CCN"},{"id":7,"smiles":"c1ccccc1O"}]}`)
	var reply struct{ Predictions []prediction }
	if err := json.Unmarshal([]byte(text), &reply); err != nil || status != http.StatusOK || len(reply.Predictions) != 2 {
		t.Fatalf("%d %s, %v", status, text, err)
	}
	for i, p := range reply.Predictions {
		if p.ID != []string{"CCN", "7"}[i] || p.Probabilities["amine"] != number(t, rows[i]["probability_amine"]) {
			t.Errorf("%+v, want as the command has it %v", p, rows[i])
		}
	}

	// An invalid SMILES refuses the whole body and says where it is. In lines only its own line is refused.
	hostile := map[string]string{
		"no molecule":      "C(",
		"wrong valence":    "C(C)(C)(C)(C)C",
		"empty":            "",
		"a long chain":     strings.Repeat("C", 300_000),
		"deep and long":    strings.Repeat("C(", 200_000) + "C" + strings.Repeat(")", 200_000),
		"deep":             strings.Repeat("C(", 3000) + "C" + strings.Repeat(")", 2999),
		"open rings":       strings.Repeat("C%11", 2499),
		"bytes":            "C\\u0000\\ud800C",
		"not even letters": strings.Repeat("[", 9000),
	}
	for name, smiles := range hostile {
		if status, text := post("predict", "application/json", `{"graphs":[{"smiles":"CCN"},{"smiles":"`+smiles+`"}]}`); status != http.StatusUnprocessableEntity || !strings.Contains(text, `"pointer":"/graphs/1`) || len(text) > 4096 {
			t.Errorf("%s: %d %.300s, of %d bytes", name, status, text, len(text))
		}
		status, text := post("predict", "application/x-ndjson", `{"smiles":"CCN"}`+"\n"+`{"smiles":"`+smiles+`"}`+"\n"+`{"smiles":"CCO"}`+"\n")
		var lines []prediction
		for line := range strings.Lines(text) {
			var p prediction
			if err := json.Unmarshal([]byte(line), &p); err != nil {
				t.Fatalf("%s: %v of %.300s", name, err, line)
			}
			lines = append(lines, p)
		}
		if status != http.StatusOK || len(lines) != 3 || lines[0].Probabilities == nil || lines[1].Line != 2 || lines[1].Error == nil || lines[2].Probabilities == nil {
			t.Errorf("%s: %d %.300s", name, status, text)
		}
	}
	if status, text := post("predict", "application/json", `{"graphs":[{"smiles":"CCN","edges":[]}]}`); status != http.StatusUnprocessableEntity {
		t.Errorf("SMILES and edges: %d %s", status, text)
	}

	// An explanation has a score for each bond.
	var record struct {
		Edges       [][2]int
		Explanation struct{ Scores []float64 }
	}
	status, text = post("explain", "application/json", `{"graphs":[{"smiles":"CC(=O)N"}]}`)
	if err := json.Unmarshal([]byte(text), &record); err != nil || status != http.StatusOK || len(record.Edges) != 3 || len(record.Explanation.Scores) != 3 {
		t.Fatalf("%d %s, %v", status, text, err)
	}

	// The page draws what the API explains, and molecules of the data as molecules. Their letters, such as the letter of
	// nitrogen, are shared outlines.
	const letter = `<use href="#g`
	get := func(path string) string {
		t.Helper()
		r, err := http.Get(address + path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		if err != nil || r.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %s, %v", path, r.StatusCode, text, err)
		}
		return string(text)
	}
	for as, atoms := range map[string]bool{``: false, `,"smiles":"CC(=O)N"`: true, `,"smiles":"CCCC"`: false} { // the last one is another molecule
		drawn, err := http.Post(address+"/runs/amines/explained", "application/json", strings.NewReader(strings.TrimSuffix(strings.TrimSpace(text), "}")+as+"}"))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(drawn.Body)
		drawn.Body.Close()
		if err != nil || drawn.StatusCode != http.StatusOK || !strings.Contains(string(text), "<svg") || strings.Contains(string(text), letter) != atoms {
			t.Errorf("%s: %d %.300s, %v, expected atoms to be drawn: %v", as, drawn.StatusCode, text, err, atoms)
		}
	}
	if text := get("/runs/amines/try"); !strings.Contains(text, "<form") {
		t.Errorf("%.300s", text)
	}
	figure := get("/runs/amines/graph/figure.svg?" + url.Values{"graph": {"2"}, "part": {"all"}}.Encode())
	if !strings.Contains(figure, letter) {
		t.Errorf("the figure of an amine has no nitrogen: %.2000s", figure)
	}
}
