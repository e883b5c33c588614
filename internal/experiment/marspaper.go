package experiment

// marsPaper has the numbers of the paper's tables of MARS, in percent, over three runs: main table
// and appendix. Columns are the marsColumns that the paper has.
var marsPaper = []struct {
	vocabulary, thresholds, row string
	scores                      [5]paperScore // success, QED, SA, GSK3β, JNK3
}{
	{"zinc", "strict", "mars", [5]paperScore{{59.53, 2.11}, {95.71, 0.09}, {99.99, 0.01}, {86.52, 1.67}, {71.52, 4.15}}},
	{"zinc", "strict", "mars-ehgnn", [5]paperScore{{64.30, 1.54}, {96.36, 0.49}, {99.99, 0.02}, {90.63, 2.57}, {73.60, 1.29}}},
	{"chembl", "strict", "mars", [5]paperScore{{56.64, 5.79}, {91.01, 2.79}, {99.99, 0.01}, {87.45, 1.73}, {70.57, 4.75}}},
	{"chembl", "strict", "mars-ehgnn", [5]paperScore{{58.25, 6.07}, {91.13, 4.84}, {100.00, 0.00}, {90.34, 2.65}, {70.01, 4.83}}},
	{"zinc", "original", "mars", [5]paperScore{{95.65, 0.90}, {99.07, 0.29}, {99.99, 0.01}, {99.13, 0.12}, {97.33, 1.30}}},
	{"zinc", "original", "mars-ehgnn", [5]paperScore{{97.28, 1.14}, {99.45, 0.15}, {99.99, 0.02}, {99.52, 0.23}, {98.21, 0.89}}},
	{"chembl", "original", "mars", [5]paperScore{{92.03, 3.83}, {96.76, 1.44}, {99.99, 0.01}, {99.19, 0.31}, {95.83, 2.30}}},
	{"chembl", "original", "mars-ehgnn", [5]paperScore{{91.88, 3.50}, {96.43, 2.83}, {100.00, 0.00}, {99.39, 0.23}, {95.85, 0.92}}},
}

// marsPaperArms is the mean size of the arms of the paper's vocabularies, in atoms and bonds.
var marsPaperArms = map[string][2]float64{"zinc": {7.68, 7.54}, "chembl": {7.35, 7.08}}
