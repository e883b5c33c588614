package cli_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data/synth"
)

// docPicture is a picture in the documentation, and the flags of explain that make it from a run.
type docPicture struct {
	name string
	run  string
	args string
}

// docPictures are made by make pictures. Pictures of the page (webtest) and of molecules are made elsewhere.
var docPictures = []docPicture{
	{"explain-edge", "payments", "--edge 3772 --words payment,payer,payee"},
	{"explain-edge-narrow", "payments", "--edge 3772 --words payment,payer,payee --width 368"},
	{"explain-edge-1", "payments", "--edge 3772 --top 1"},
	{"explain-edge-5", "payments", "--edge 3772 --top 5 --show channel,hour"},
	{"explain-edge-15", "payments", "--edge 3772 --top 15"},
	{"explain-edge-40", "payments", "--edge 3772 --top 40"},
	{"explain-hub", "hub", "--edge 2010"},
	{"explain-graph-5", "rings", "--graph 0"},
	{"explain-graph-500", "rings", "--graph 1 --method gradient"},
}

// The pictures of explanations in docs/pictures equal those that the commands make. Weights differ by rounding between
// kinds of processors, and so may the choice between two equal edges. Therefore texts are compared.
func TestPictures(t *testing.T) {
	if testing.Short() {
		t.Skip("it trains for some seconds")
	}
	runs := map[string]string{}
	for name, data := range map[string]string{"payments": demoPayments(t), "hub": hubPayments(t), "rings": ringGraphs(t)} {
		runs[name] = filepath.Join(t.TempDir(), "run")
		args := []string{"train", data, "--out", runs[name], "--quiet"}
		switch name {
		case "payments":
			args = append(args, "--split", "time")
		case "hub":
			args = append(args, "--split", "time", "--epochs", "60")
		default:
			args = append(args, "--epochs", "5", "--hidden", "16")
		}
		succeed(t, args...)
	}
	for _, p := range docPictures {
		p.check(t, runs[p.run])
	}
}

// check makes a picture and compares it with the stored one, or stores it with -update.
func (p docPicture) check(t *testing.T, run string) {
	t.Helper()
	made := filepath.Join(t.TempDir(), p.name+".svg")
	succeed(t, append([]string{"explain", run, "--out", made}, strings.Fields(p.args)...)...)
	path := filepath.Join("..", "..", "..", "docs", "pictures", p.name+".svg")
	if *update {
		if err := os.WriteFile(path, []byte(read(t, made)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, got := texts(read(t, path)), texts(read(t, made))
	shared := 0
	for _, text := range got {
		if slices.Contains(want, text) {
			shared++
		}
	}
	if len(got) < 8 || shared < len(got)/2 {
		t.Errorf("%s has %q, now %q; make pictures makes it again", path, want, got)
	}
	if n := len(read(t, made)); n > 120<<10 {
		t.Errorf("%s has %d bytes", p.name, n)
	}
}

// demoPayments are the payments of the start page: examples/edges -accounts 300 -payments 4000 -doubt.
func demoPayments(t *testing.T) string {
	x, err := synth.NewTransactions(300, 4000, 42)
	if err != nil {
		t.Fatal(err)
	}
	x.AddDoubt(42)
	var nodes, edges strings.Builder
	if err := x.WriteNodes(&nodes); err != nil {
		t.Fatal(err)
	}
	if err := x.WriteEdges(&edges); err != nil {
		t.Fatal(err)
	}
	return folder(t, map[string]string{"nodes.csv": nodes.String(), "edges.csv": edges.String()})
}

// hubPayments are 2,000 payments to one shop and some payments by the shop. Large payments at night are fraud.
func hubPayments(t *testing.T) string {
	r := rand.New(rand.NewPCG(7, 7))
	var b strings.Builder
	b.WriteString("id,source,target,amount,hour,time,label\n")
	for k := range 2040 {
		source, target := fmt.Sprintf("C%d", 100000+r.IntN(900000)), "M2000"
		if k%51 == 50 {
			source, target = target, source
		}
		amount, hour, label := 900*r.ExpFloat64(), r.IntN(24), "ok"
		if k == 2010 {
			amount, hour = 4200, 3
		}
		if amount > 1500 && hour < 8 {
			label = "fraud"
		}
		fmt.Fprintf(&b, "T%d,%s,%s,%.2f,%d,2026-03-%02d %02d:%02d,%s\n", 10000+k, source, target, amount, hour, 1+k/80, hour, r.IntN(60), label)
	}
	return folder(t, map[string]string{"edges.csv": b.String()})
}

// ringGraphs are rings of 5 and of 500 nodes with some chords.
func ringGraphs(t *testing.T) string {
	r := rand.New(rand.NewPCG(5, 5))
	var a, of, labels strings.Builder
	first := 1
	for k := range 20 {
		n := []int{5, 500}[k%2]
		add := func(u, v int) { fmt.Fprintf(&a, "%d, %d\n%d, %d\n", first+u, first+v, first+v, first+u) }
		for v := range n {
			add(v, (v+1)%n)
			fmt.Fprintf(&of, "%d\n", k+1)
		}
		for range n / 5 * (k % 3) {
			if u := r.IntN(n - 2); u+2 < n {
				add(u, u+2)
			}
		}
		fmt.Fprintf(&labels, "%d\n", min(k%3, 1))
		first += n
	}
	dir := filepath.Join(folder(t, nil), "HOOPS")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"A": a.String(), "graph_indicator": of.String(), "graph_labels": labels.String()} {
		if err := os.WriteFile(filepath.Join(dir, "HOOPS_"+name+".txt"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// folder writes files into a folder.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// texts returns the texts of an SVG file that are names and values, without numbers that training changes.
func texts(svg string) (out []string) {
	for _, m := range regexp.MustCompile(`<text[^>]*>([^<]*)</text>`).FindAllStringSubmatch(svg, -1) {
		if text := strings.TrimSpace(m[1]); !regexp.MustCompile(`^[+−]?[0-9.]+$`).MatchString(text) {
			out = append(out, text)
		}
	}
	return out
}
