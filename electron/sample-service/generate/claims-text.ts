/** Texts of an insurer's claims triage agent. */
import type { Domain } from './text.ts';

export const CLAIMS: Domain = {
  systemPrompt:
    'You sort motor and household claims. Say which team a claim goes to, how urgent it is and what is missing, and quote the clause you rest on.',
  slots: {
    city: ['Malmö', 'Bristol', 'Ghent', 'Linz', 'Braga', 'Rouen', 'Cork', 'Bergamo'],
    vehicle: ['hatchback', 'delivery van', 'estate car', 'electric bicycle', 'camper van', 'pickup'],
    part: ['rear bumper', 'windscreen', 'left door', 'front axle', 'roof', 'charging flap'],
    room: ['kitchen', 'cellar', 'bathroom', 'attic', 'hallway'],
    name: ['Ms Lindqvist', 'Mr Okafor', 'Ms Ferreira', 'Mr Brandt', 'Ms Doyle', 'Mr Rinaldi'],
    clause: ['4.2', '7.1', '9.3', '11.6', '12.4'],
  },
  topics: [
    {
      intent: 'collision',
      category: 'motor',
      questions: [
        'A parked {vehicle} was hit in {city}; the {part} is dented, the other driver left a note.',
        'Claim {number}: low-speed collision at a junction, {part} and lights damaged, nobody hurt.',
        '{name} reports that a lorry touched the {vehicle} at {time} and drove on.',
      ],
      answers: [
        'Motor team, normal urgency. Covered under clause {clause}. Missing: photos of the {part} and the name on the note. Reserve {amount}.',
        'Motor team, high urgency because the driver left. Ask for the police number within {days} days; clause {clause} applies.',
      ],
      context: [
        'Clause {clause}: damage by another vehicle is covered; the excess is waived when the other driver is known.',
        'A hit-and-run is paid when it was reported to the police within seven days.',
        'Photos must show the whole vehicle, the plate and the damage from two sides.',
      ],
    },
    {
      intent: 'glass_damage',
      category: 'motor',
      questions: [
        'A stone chipped the windscreen of the {vehicle} near {city}.',
        'Claim {number}: crack of 20 cm across the windscreen, the customer asks for a new one.',
      ],
      answers: [
        'Fast lane. A chip under 2 cm outside the line of sight is repaired without excess; book the workshop in {city}.',
        'Fast lane. A crack of this length means replacement; excess 150 by clause {clause}, estimate {amount}.',
      ],
      context: [
        'Glass: repair without excess, replacement with an excess of 150.',
        'Partner workshops calibrate the cameras behind the windscreen and bill us directly.',
      ],
    },
    {
      intent: 'water_damage',
      category: 'household',
      questions: [
        'A pipe burst in the {room} in {city} and the floor is under water.',
        '{name} found mould in the {room} {days} days after a leak.',
        'Claim {number}: washing machine hose, water reached the flat below the {room}.',
      ],
      answers: [
        'Household team, urgent. Send a drying firm today; clause {clause} covers tap water. Liability team copied for the neighbour.',
        'Household team, normal. A slow leak is covered when reported within 14 days; ask for the date of the last inspection. Reserve {amount}.',
      ],
      context: [
        'Tap water that leaves a pipe by accident is covered by clause {clause}, ground water is not.',
        'Drying must begin within 48 hours; the insurer names the firm.',
        'Mould is part of the water claim when it follows from it within 60 days.',
      ],
    },
    {
      intent: 'theft',
      category: 'household',
      questions: [
        'The {vehicle} was stolen from a locked {room} in {city} during the night.',
        'Claim {number}: break-in at {time}, jewellery worth {amount} missing, no receipts.',
      ],
      answers: [
        'Special investigations, normal urgency. Police report and both keys are needed. Clause {clause} limits valuables without a safe.',
        'Household team. Ask for photos or bank statements in place of receipts; {name} has {days} days to send them.',
      ],
      context: [
        'Theft is covered when the room was locked; valuables outside a safe up to 1,500.',
        'Both keys of a vehicle must be handed in before payment.',
      ],
    },
    {
      intent: 'document_check',
      category: 'intake',
      questions: [
        'Which papers are still missing for claim {number}?',
        'The estimate for the {part} is a photo of a screen. Is that enough?',
        'Can {name} sign for the holder of the policy?',
      ],
      answers: [
        'Missing: the estimate with a stamp, and the account for payment. Everything else for {number} is complete.',
        'A legible photo is enough up to 1,000. This one is for {amount}, so the file of the workshop is not needed.',
      ],
      context: [
        'Estimates up to 1,000 may be photos; above, the file of the workshop is required.',
        'A signature by another person needs a written power for this claim.',
      ],
    },
  ],
};
